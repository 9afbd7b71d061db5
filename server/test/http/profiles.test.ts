import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromium } from 'playwright-core'
import { findBrowser } from '../../src/browsers/find.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { memoryPages, recall, remember } from '../../../test/lab/memories.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { visit } from '../../../test/lab/visit.ts'

let lab: Lab
let site: Site
beforeAll(async () => {
  site = await startSite(memoryPages)
  lab = await startLab({ profileVersions: 3, profileQuota: 5 })
})
afterAll(async () => {
  await lab[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

function pathOf(name: string): string {
  return `/v2/browser/profiles/${encodeURIComponent(name)}`
}

/**
 * Stores `value` in a session with the profile. Returns the session's id and the response to its
 * deletion.
 */
async function save(name: string, value: string) {
  const session = await lab.createSession({ profile: { name } })
  await visit(session, async (page) => {
    await page.goto(site.url('/storage'))
    await page.evaluate(`localStorage.setItem('value', '${value}')`)
  })
  return { id: session.id, deleted: await lab.api('DELETE', `/v2/browser/${session.id}`) }
}

/** Reads the value from a session that does not save the profile. */
async function read(name: string): Promise<string | null> {
  const session = await lab.createSession({ profile: { name, saveChanges: false } })
  const value = await visit(session, async (page) => {
    await page.goto(site.url('/storage'))
    return page.evaluate<string | null>(`localStorage.getItem('value')`)
  })
  await lab.api('DELETE', `/v2/browser/${session.id}`)
  return value
}

async function strangerHeaders(): Promise<Record<string, string>> {
  const { body } = await lab.api('POST', '/v2/team/keys', { team: 'strangers' })
  return { authorization: `Bearer ${body['key']}` }
}

describe('a profile', () => {
  let ours: Promise<unknown> | undefined

  test('is listed with its version, sizes and times once a session has saved it', async () => {
    const { id, deleted } = await save('listed', 'one')

    expect(deleted.body).toMatchObject({ success: true, profile: { name: 'listed', saveChanges: true, version: 1 } })
    const { body } = await lab.api('GET', '/v2/browser/profiles')
    const profile = body['data'].find((each: { name: string }) => each.name === 'listed')
    expect(profile).toMatchObject({ version: 1, versions: 1, isLocked: false })
    expect(profile.contentBytes).toBeGreaterThan(profile.storedBytes)
    expect(Date.now() - Date.parse(profile.savedAt)).toBeLessThan(30_000)
    const versions = (await lab.api('GET', `${pathOf('listed')}/versions`)).body['data']
    expect(versions).toMatchObject([{ version: 1, isCurrent: true, sessionId: id }])
    expect(versions[0].browser).toMatch(/Chrome\/\d/)
  })

  test.each(['a/b ü ✓ 😀', '%2e%2e', '?#&' + '😀'.repeat(62)])('can be named %s', async (name) => {
    await save(name, 'one')

    expect((await lab.api('GET', pathOf(name))).body).toMatchObject({ success: true, data: { name, version: 1 } })
  })

  test.each([
    ['GET', ''],
    ['DELETE', ''],
    ['GET', '/versions'],
    ['POST', '/versions/1/rollback'],
    ['GET', '/storage-state'],
  ])('of another team is not found: %s %s', async (method, rest) => {
    await (ours ??= save('ours', 'one'))
    const headers = await strangerHeaders()

    const answer = await lab.api(method, pathOf('ours') + rest, undefined, headers)

    expect(answer).toMatchObject({ status: 404, body: { success: false, code: 'PROFILE_NOT_FOUND' } })
    expect((await lab.api('GET', '/v2/browser/profiles', undefined, headers)).body).toEqual({ success: true, data: [] })
    expect((await lab.api('GET', pathOf('ours'))).status).toBe(200)
  })

  test('of the same name in another team is independent', async () => {
    await save('shared name', 'ours')
    const headers = await strangerHeaders()

    const theirs = await lab.api('POST', '/v2/browser', { profile: { name: 'shared name' } }, headers)

    const value = await visit({ cdpUrl: theirs.body['cdpUrl'] }, async (page) => {
      await page.goto(site.url('/storage'))
      return page.evaluate(`localStorage.getItem('value')`)
    })
    await lab.api('DELETE', `/v2/browser/${theirs.body['id']}`, undefined, headers)
    expect(value).toBeNull()
  })

  test('is not found after it was deleted', async () => {
    await save('deleted', 'one')

    expect((await lab.api('DELETE', pathOf('deleted'))).body).toEqual({ success: true })

    expect((await lab.api('GET', pathOf('deleted'))).status).toBe(404)
    expect(await read('deleted')).toBeNull()
  })

  test('keeps its newest versions, and can be rolled back to any of them', async () => {
    for (const value of ['one', 'two', 'three', 'four']) await save('versions', value)
    const numbers = async () =>
      (await lab.api('GET', `${pathOf('versions')}/versions`)).body['data'].map((each: object) => each)
    expect(await numbers()).toMatchObject([{ version: 4, isCurrent: true }, { version: 3 }, { version: 2 }])

    const back = await lab.api('POST', `${pathOf('versions')}/versions/2/rollback`)

    expect(back.body).toMatchObject({ success: true, data: { version: 2, versions: 3 } })
    expect(await read('versions')).toBe('two')
    await save('versions', 'five')
    expect(await numbers()).toMatchObject([{ version: 5, isCurrent: true }, { version: 4 }, { version: 3 }])
    const missing = await lab.api('POST', `${pathOf('versions')}/versions/1/rollback`)
    expect(missing).toMatchObject({ status: 404, body: { code: 'PROFILE_NOT_FOUND' } })
  })

  test('over its quota is not saved, and the response names the quota', async () => {
    await save('large', 'one')
    const session = await lab.createSession({ profile: { name: 'large' } })
    await visit(session, async (page) => {
      await page.goto(site.url('/storage'))
      await page.evaluate(`(async () => {
        const cache = await caches.open('large')
        await cache.put('/large', new Response(crypto.getRandomValues(new Uint8Array(65536)).join('').repeat(40)))
      })()`)
    })

    const { status, body } = await lab.api('DELETE', `/v2/browser/${session.id}`)

    expect(status).toBe(200)
    expect(body['profile']).toMatchObject({ name: 'large', error: 'The profile is larger than 5 MB' })
    expect(await read('large')).toBe('one')
  })
})

describe('while a session writes a profile', () => {
  test('other writers get an error that names the session and the remedy', async () => {
    const writer = await lab.createSession({ ttl: 60, profile: { name: 'locked' } })

    const { status, headers, body } = await lab.api('POST', '/v2/browser', { profile: { name: 'locked' } })

    expect(status).toBe(409)
    expect(body).toMatchObject({ success: false, code: 'PROFILE_LOCKED', details: { sessionId: writer.id } })
    expect(body['error']).toContain(writer.id)
    expect(body['error']).toContain('saveChanges: false')
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
    const active = (await lab.api('GET', '/v2/browser?status=active')).body['sessions']
    expect(active.map(({ id }: { id: string }) => id)).toEqual([writer.id])
    await lab.api('DELETE', `/v2/browser/${writer.id}`)
    const next = await lab.createSession({ profile: { name: 'locked' } })
    await lab.api('DELETE', `/v2/browser/${next.id}`)
  })

  test('of twenty concurrent writers, nineteen are rejected', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => lab.api('POST', '/v2/browser', { profile: { name: 'raced' } })),
    )

    const created = answers.filter(({ status }) => status === 200)
    await Promise.all(created.map(async ({ body }) => lab.api('DELETE', `/v2/browser/${body['id']}`)))
    expect(created).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
  })

  test('others can read the last saved version, and their changes are not saved', async () => {
    await save('read', 'one')
    const writer = await lab.createSession({ profile: { name: 'read' } })

    expect(await Promise.all([read('read'), read('read'), read('read')])).toEqual(['one', 'one', 'one'])

    await lab.api('DELETE', `/v2/browser/${writer.id}`)
    expect((await lab.api('GET', pathOf('read'))).body['data']).toMatchObject({ version: 2 })
  })

  test('it cannot be deleted, rolled back or imported into', async () => {
    await save('busy', 'one')
    const writer = await lab.createSession({ profile: { name: 'busy' } })

    const refusals = await Promise.all([
      lab.api('DELETE', pathOf('busy')),
      lab.api('POST', `${pathOf('busy')}/versions/1/rollback`),
      lab.api('PUT', `${pathOf('busy')}/storage-state`, { cookies: [], origins: [] }),
    ])

    await lab.api('DELETE', `/v2/browser/${writer.id}`)
    for (const { status, body } of refusals) {
      expect([status, body['code']]).toEqual([409, 'PROFILE_LOCKED'])
      expect(body['error']).toContain(writer.id)
    }
  })

  test('a repeated request with its idempotency key returns the same session', async () => {
    const headers = { authorization: `Bearer ${lab.server.apiKey}`, 'x-idempotency-key': crypto.randomUUID() }
    const first = await lab.api('POST', '/v2/browser', { profile: { name: 'repeated' } }, headers)

    const again = await lab.api('POST', '/v2/browser', { profile: { name: 'repeated' } }, headers)

    await lab.api('DELETE', `/v2/browser/${first.body['id']}`)
    expect(again.body['id']).toBe(first.body['id'])
  })
})

describe('a storageState', () => {
  test('of a profile works in a new Playwright context', async () => {
    const session = await lab.createSession({ profile: { name: 'exported' } })
    await visit(session, async (page) => remember(page, site, 'kept'))
    await lab.api('DELETE', `/v2/browser/${session.id}`)

    const { body } = await lab.api('GET', `${pathOf('exported')}/storage-state`)

    const { path } = await findBrowser('shell', process.env)
    await using browser = await chromium.launch({ executablePath: path })
    const context = await browser.newContext({ storageState: body['data'] })
    const { serviceWorker, ...memories } = await recall(await context.newPage(), site)
    expect(memories).toEqual({
      persistentCookie: 'kept',
      sessionCookie: 'kept',
      localStorage: 'kept',
      indexedDB: 'kept',
    })
    expect(serviceWorker).toBeNull()
  })

  test('of Playwright can be imported as a profile', async () => {
    const { path } = await findBrowser('shell', process.env)
    await using browser = await chromium.launch({ executablePath: path })
    const context = await browser.newContext()
    await remember(await context.newPage(), site, 'kept')
    const state = await context.storageState({ indexedDB: true })

    const imported = await lab.api('PUT', `${pathOf('imported')}/storage-state`, state)

    expect(imported.body).toMatchObject({ success: true, data: { name: 'imported', version: 1, isLocked: false } })
    const session = await lab.createSession({ profile: { name: 'imported', saveChanges: false } })
    const { serviceWorker: _, ...memories } = await visit(session, async (page) => recall(page, site))
    expect(memories).toEqual({
      persistentCookie: 'kept',
      sessionCookie: 'kept',
      localStorage: 'kept',
      indexedDB: 'kept',
    })
  })

  test('is exported unchanged, including dates and bytes', async () => {
    const origin = 'https://shop.example'
    const stores = [
      {
        name: 'orders',
        keyPath: 'id',
        autoIncrement: false,
        indexes: [{ name: 'by day', keyPath: 'day', multiEntry: false, unique: false }],
        records: [
          { value: { id: 1, day: 'monday', lines: [1, 2, null] } },
          {
            valueEncoded: {
              o: [
                { k: 'id', v: 2 },
                { k: 'at', v: { d: '2026-01-02T03:04:05.000Z' } },
              ],
              id: 1,
            },
          },
        ],
      },
    ]
    const state = {
      cookies: [
        {
          name: 'host-only',
          value: 'a',
          domain: 'shop.example',
          path: '/',
          expires: -1,
          httpOnly: true,
          secure: true,
          sameSite: 'None',
        },
        {
          name: 'everywhere',
          value: 'b',
          domain: '.shop.example',
          path: '/cart',
          expires: Math.floor(Date.now() / 1000) + 86_400,
          httpOnly: false,
          secure: false,
          sameSite: 'Lax',
        },
      ],
      origins: [
        {
          origin,
          localStorage: [
            { name: 'ü ✓', value: 'wide 😀' },
            { name: 'latin', value: 'plain' },
          ],
          indexedDB: [{ name: 'shop', version: 3, stores }],
        },
      ],
    }
    await lab.api('PUT', `${pathOf('round trip')}/storage-state`, state)

    const { body } = await lab.api('GET', `${pathOf('round trip')}/storage-state`)

    const byName = (left: { name: string }, right: { name: string }): number => left.name.localeCompare(right.name)
    expect(body['data'].cookies.toSorted(byName)).toEqual(state.cookies.toSorted(byName))
    expect(body['data'].origins).toEqual(state.origins)
  })

  test('that is invalid is rejected before a profile is created', async () => {
    const answer = await lab.api('PUT', `${pathOf('nonsense')}/storage-state`, { cookies: 'none' })

    expect(answer).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } })
    expect((await lab.api('GET', pathOf('nonsense'))).status).toBe(404)
  })
})
