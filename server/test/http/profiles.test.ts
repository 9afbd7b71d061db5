import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { chromium } from 'playwright-core'
import { findBrowser } from '../../src/browsers/find.ts'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Answer, type Lab } from '../../../test/lab/lab.ts'
import { memoryPages, recall, remember } from '../../../test/lab/memories.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { visit } from '../../../test/lab/visit.ts'

let lab: Lab
let site: Site
beforeAll(async () => {
  site = await startSite(memoryPages)
  lab = await startLab({ profileVersions: 2, profileQuota: 5 })
})
afterAll(async () => {
  await lab[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

function pathOf(name: string): string {
  return `/v2/browser/profiles/${encodeURIComponent(name)}`
}

/**
 * Stores `value` in a session with the profile. Returns the session id and the response to the
 * deletion.
 */
async function save(name: string, value: string) {
  const session = await lab.createSession({ profile: { name } })
  await evaluate(session, `localStorage.setItem('value', '${value}')`)
  return end(session)
}

/** Saves an empty profile. */
async function create(name: string) {
  return end(await lab.createSession({ profile: { name } }))
}

async function end({ id }: { readonly id: string }) {
  return { id, deleted: await lab.api('DELETE', `/v2/browser/${id}`) }
}

/** Evaluates an expression on the page of the site that stores values, without a library. */
async function evaluate(session: { readonly cdpUrl: string }, expression: string): Promise<unknown> {
  await using cdp = await connectCdp(session.cdpUrl)
  const page = await cdp.attachToPage()
  await cdp.call('Page.enable', {}, page)
  await cdp.call('Page.navigate', { url: site.url('/storage') }, page)
  const loaded = () => cdp.events.some(({ method }) => method === 'Page.loadEventFired')
  await vi.waitUntil(loaded, { interval: 5, timeout: 20_000 })
  const { result } = await cdp.call('Runtime.evaluate', { expression, awaitPromise: true }, page)
  return result?.['result'].value
}

/** Reads the value from a session that does not save the profile. */
async function read(name: string): Promise<unknown> {
  const session = await lab.createSession({ profile: { name, saveChanges: false } })
  const value = await evaluate(session, `localStorage.getItem('value')`)
  await end(session)
  return value
}

async function otherTeamHeaders(): Promise<Record<string, string>> {
  const { body } = await lab.api('POST', '/v2/team/keys', { team: 'other' })
  return { authorization: `Bearer ${body['key']}` }
}

describe('a profile', () => {
  let saving: ReturnType<typeof save> | undefined
  const saveOurs = () => (saving ??= save('ours', 'one'))

  test('is listed with its version, sizes and times once a session has saved it', async () => {
    const { id, deleted } = await saveOurs()

    expect(deleted.body).toMatchObject({ success: true, profile: { name: 'ours', saveChanges: true, version: 1 } })
    const { body } = await lab.api('GET', '/v2/browser/profiles')
    const profile = body['data'].find((each: { name: string }) => each.name === 'ours')
    expect(profile).toMatchObject({ version: 1, versions: 1, isLocked: false })
    expect(profile.contentBytes).toBeGreaterThan(profile.storedBytes)
    expect(Date.now() - Date.parse(profile.savedAt)).toBeLessThan(30_000)
    const versions = (await lab.api('GET', `${pathOf('ours')}/versions`)).body['data']
    expect(versions).toMatchObject([{ version: 1, isCurrent: true, sessionId: id }])
    expect(versions[0].browser).toMatch(/Chrome\/\d/)
  })

  test.each(['a/b ü ✓ 😀', '%2e%2e', '?#&' + '😀'.repeat(62)])('can be named %s', async (name) => {
    await create(name)

    expect((await lab.api('GET', pathOf(name))).body).toMatchObject({ success: true, data: { name, version: 1 } })
  })

  test.each([
    ['GET', ''],
    ['DELETE', ''],
    ['GET', '/versions'],
    ['POST', '/versions/1/rollback'],
    ['GET', '/storage-state'],
  ])('of another team is not found: %s %s', async (method, rest) => {
    await saveOurs()
    const headers = await otherTeamHeaders()

    const answer = await lab.api(method, pathOf('ours') + rest, undefined, headers)

    expect(answer).toMatchObject({ status: 404, body: { success: false, code: 'PROFILE_NOT_FOUND' } })
    expect((await lab.api('GET', '/v2/browser/profiles', undefined, headers)).body).toEqual({ success: true, data: [] })
    expect((await lab.api('GET', pathOf('ours'))).status).toBe(200)
  })

  test('of the same name in another team is independent', async () => {
    await saveOurs()
    const headers = await otherTeamHeaders()

    const theirs = await lab.api('POST', '/v2/browser', { profile: { name: 'ours' } }, headers)

    const value = await evaluate({ cdpUrl: theirs.body['cdpUrl'] }, `localStorage.getItem('value')`)
    await lab.api('DELETE', `/v2/browser/${theirs.body['id']}`, undefined, headers)
    expect(value).toBeNull()
  })

  test('keeps its newest versions, and can be rolled back to any of them', async () => {
    for (const value of ['one', 'two', 'three']) await save('versions', value)
    const numbers = async () =>
      (await lab.api('GET', `${pathOf('versions')}/versions`)).body['data'].map((each: object) => each)
    expect(await numbers()).toMatchObject([{ version: 3, isCurrent: true }, { version: 2 }])

    const back = await lab.api('POST', `${pathOf('versions')}/versions/2/rollback`)

    expect(back.body).toMatchObject({ success: true, data: { version: 2, versions: 2 } })
    expect(await read('versions')).toBe('two')
    await create('versions')
    expect(await numbers()).toMatchObject([{ version: 4, isCurrent: true }, { version: 3 }])
    const missing = await lab.api('POST', `${pathOf('versions')}/versions/1/rollback`)
    expect(missing).toMatchObject({ status: 404, body: { code: 'PROFILE_NOT_FOUND' } })
  })

  test('over its quota is not saved, and the response names the quota', async () => {
    await saveOurs()
    const session = await lab.createSession({ profile: { name: 'ours' } })
    await evaluate(
      session,
      `(async () => {
        localStorage.setItem('value', 'large')
        const cache = await caches.open('large')
        await cache.put('/large', new Response(crypto.getRandomValues(new Uint8Array(65536)).join('').repeat(40)))
      })()`,
    )

    const { deleted } = await end(session)

    expect(deleted.status).toBe(200)
    expect(deleted.body['profile']).toMatchObject({ name: 'ours', error: 'The profile is larger than 5 MB' })
    expect(await read('ours')).toBe('one')
  })

  test('is not found after it was deleted', async () => {
    await saveOurs()

    expect((await lab.api('DELETE', pathOf('ours'))).body).toEqual({ success: true })

    expect((await lab.api('GET', pathOf('ours'))).status).toBe(404)
    expect(await read('ours')).toBeNull()
  })
})

describe('while a session writes a profile', () => {
  const headers = { 'x-idempotency-key': crypto.randomUUID() }
  const write = async () => {
    const authorization = `Bearer ${lab.server.apiKey}`
    const body = { ttl: 60, name: 'Nightly export', profile: { name: 'held' } }
    return lab.api('POST', '/v2/browser', body, { authorization, ...headers })
  }
  let writer: Answer['body']
  beforeAll(async () => {
    await save('held', 'one')
    writer = (await write()).body
  })

  test('other writers get an error that names the session and the remedy', async () => {
    const { status, headers, body } = await lab.api('POST', '/v2/browser', { profile: { name: 'held' } })

    expect(status).toBe(409)
    expect(body).toMatchObject({ success: false, code: 'PROFILE_LOCKED', details: { sessionId: writer['id'] } })
    expect(body['error']).toContain(`Session ${writer['id']} (Nightly export) is`)
    expect(body['error']).not.toContain('saveChanges')
    expect(body['hint']).toContain('saveChanges: false')
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
    const active = (await lab.api('GET', '/v2/browser?status=active')).body['sessions']
    expect(active.map(({ id }: { id: string }) => id)).toEqual([writer['id']])
  })

  test('it cannot be deleted, rolled back or imported into', async () => {
    const refusals = await Promise.all([
      lab.api('DELETE', pathOf('held')),
      lab.api('POST', `${pathOf('held')}/versions/1/rollback`),
      lab.api('PUT', `${pathOf('held')}/storage-state`, { cookies: [], origins: [] }),
    ])

    for (const { status, body } of refusals) {
      expect([status, body['code']]).toEqual([409, 'PROFILE_LOCKED'])
      expect(body['error']).toContain(writer['id'])
      expect(body['hint']).toBe(
        `Wait until session ${writer['id']} has ended, or end it with \`bowline sessions delete ${writer['id']}\`.`,
      )
    }
  })

  test('a repeated request with its idempotency key returns the same session', async () => {
    expect((await write()).body['id']).toBe(writer['id'])
  })

  test('others can read the last saved version, and their changes are not saved', async () => {
    expect(await Promise.all([read('held'), read('held')])).toEqual(['one', 'one'])

    await end(writer as { id: string })
    expect((await lab.api('GET', pathOf('held'))).body['data']).toMatchObject({ version: 2 })
  })

  test('of concurrent writers, all but one are rejected', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => lab.api('POST', '/v2/browser', { profile: { name: 'held' } })),
    )

    const created = answers.filter(({ status }) => status === 200)
    await Promise.all(created.map(async ({ body }) => end(body as { id: string })))
    expect(created).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
  })
})

describe('a storageState', () => {
  test('of a profile works in a new Playwright context, whose state can be imported as a profile', async () => {
    const kept = { persistentCookie: 'kept', sessionCookie: 'kept', localStorage: 'kept', indexedDB: 'kept' }
    const session = await lab.createSession({ profile: { name: 'exported' } })
    await visit(session, async (page) => remember(page, site, 'kept'))
    await end(session)

    const { body } = await lab.api('GET', `${pathOf('exported')}/storage-state`)
    const { path } = await findBrowser('shell', process.env)
    await using browser = await chromium.launch({ executablePath: path })
    const context = await browser.newContext({ storageState: body['data'] })
    const inPlaywright = await recall(await context.newPage(), site)
    const state = await context.storageState({ indexedDB: true })
    const imported = await lab.api('PUT', `${pathOf('imported')}/storage-state`, state)
    const next = await lab.createSession({ profile: { name: 'imported', saveChanges: false } })
    const inSession = await visit(next, async (page) => recall(page, site))

    expect(inPlaywright).toEqual({ ...kept, serviceWorker: null })
    expect(imported.body).toMatchObject({ success: true, data: { name: 'imported', version: 1, isLocked: false } })
    expect(inSession).toEqual({ ...kept, serviceWorker: null })
    await end(next)
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
