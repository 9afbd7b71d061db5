import { createHash } from 'node:crypto'
import { link, readdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { CreateSessionResponse, SessionFile } from '../../../src/contract.ts'
import { connectCdp, type CdpSocket } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let site: Site
let session: CreateSessionResponse & ReturnType<typeof filesOf>

beforeAll(async () => {
  lab = fixture.use(await startLab({ maxFiles: 4, maxFilesMb: 2 }))
  site = fixture.use(await startSite())
  const created = await lab.createSession()
  session = { ...created, ...filesOf(created) }
})

// The tests share the session.
afterEach(async () => {
  for (const { name } of await session.list()) await session.call('DELETE', `/${encodeURIComponent(name)}`)
})

afterAll(async () => {
  await fixture.disposeAsync()
})

/** Requests for the files of a session, authorized only by the token of its URL. */
function filesOf(session: CreateSessionResponse) {
  const base = new URL(session.cdpUrl.replace(/^ws/, 'http').replace('/cdp?', '/files?'))
  const call = (method: string, path = '', query: Record<string, string> = {}, init: RequestInit = {}) => {
    const url = new URL(base)
    url.pathname += path
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return fetch(url, { method, ...init })
  }
  return {
    call,
    list: async () => ((await (await call('GET')).json()) as { files: SessionFile[] }).files,
    upload: (body: string | Uint8Array<ArrayBuffer>, query: Record<string, string>) =>
      call('POST', '', query, { body }),
  }
}

async function openPage(session: CreateSessionResponse): Promise<CdpSocket & { readonly page: string }> {
  const cdp = await connectCdp(session.cdpUrl)
  return { ...cdp, page: await cdp.attachToPage() }
}

/**
 * Sets files on the input of the upload page, submits the form and returns what the site received.
 */
async function submit({ call, page, events }: CdpSocket & { readonly page: string }, files: readonly string[]) {
  await call('Page.enable', {}, page)
  await call('Page.navigate', { url: site.url('/upload') }, page)
  await expect.poll(() => events.some((event) => event.method === 'Page.loadEventFired')).toBe(true)
  const { result } = await call('Runtime.evaluate', { expression: 'document.querySelector("input")' }, page)
  const set = await call('DOM.setFileInputFiles', { files, objectId: result?.['result'].objectId }, page)
  if (set.error !== undefined) throw new Error(set.error.message)
  const expression = `fetch('/upload/result', { method: 'POST', body: new FormData(document.forms[0]) }).then((r) => r.text())`
  const answer = await call('Runtime.evaluate', { expression, awaitPromise: true }, page)
  return JSON.parse(answer.result?.['result'].value as string) as { name: string; bytes: number; sha256: string }[]
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

describe('a download', () => {
  test('is stored by default and readable under its suggested name', async () => {
    await using page = await openPage(session)

    await page.call('Page.navigate', { url: site.url('/download?bytes=100000&name=report.pdf') }, page.page)
    await expect.poll(async () => (await session.list())[0]?.complete).toBe(true)
    const answer = await session.call('GET', '/report.pdf')

    expect(await session.list()).toMatchObject([
      { name: 'report.pdf', direction: 'download', size: 100_000, complete: true },
    ])
    expect((await answer.bytes()).length).toBe(100_000)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''report.pdf`,
      'x-content-type-options': 'nosniff',
    })
  })

  test('requested with the deprecated `Page.setDownloadBehavior` is readable', async () => {
    await using page = await openPage(session)
    await page.call('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: '/elsewhere' }, page.page)

    await page.call('Page.navigate', { url: site.url('/download?bytes=10&name=old.bin') }, page.page)

    await expect.poll(async () => session.list()).toMatchObject([{ name: 'old.bin', complete: true }])
    expect((await session.call('GET', '/old.bin')).status).toBe(200)
  })

  test('is still stored after a client that set its own folder has disconnected', async () => {
    {
      await using first = await connectCdp(session.cdpUrl)
      await first.call('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: '/elsewhere' })
    }
    await using page = await openPage(session)

    await page.call('Page.navigate', { url: site.url('/download?bytes=10&name=late.bin') }, page.page)

    await expect.poll(async () => session.list()).toMatchObject([{ name: 'late.bin', complete: true }])
  })

  test('gets a unique name if its name is taken, and is also found by its guid', async () => {
    await using page = await openPage(session)

    for (const bytes of [10, 20]) {
      await page.call('Page.navigate', { url: site.url(`/download?bytes=${bytes}&name=a.txt`) }, page.page)
    }
    await expect.poll(async () => (await session.list()).filter((file) => file.complete).length).toBe(2)
    const files = await session.list()

    expect(files.map((file) => file.name)).toEqual(['a.txt', 'a (1).txt'])
    expect((await (await session.call('GET', `/${files[1]?.guid}`)).bytes()).length).toBe(20)
  })

  test('over the quota is cancelled, and the list contains the reason', async () => {
    await using page = await openPage(session)
    await page.call('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: '/x', eventsEnabled: true })

    await page.call('Page.navigate', { url: site.url('/download?bytes=50000000&name=big.bin') }, page.page)

    await expect
      .poll(() => page.events.findLast((event) => event.method === 'Browser.downloadProgress')?.params?.['state'])
      .toBe('canceled')
    expect(await session.list()).toMatchObject([
      { name: 'big.bin', complete: false, error: 'The files of a session can have at most 2 MB in total' },
    ])
    expect((await session.call('GET', '/big.bin')).status).toBe(409)
  })
})

describe('an upload', () => {
  test('returns the path for file inputs', async () => {
    await using page = await openPage(session)

    const answer = (await (await session.upload('some text', { name: 'notes ü.txt' })).json()) as { path: string }
    const arrived = await submit(page, [answer.path])

    expect(arrived).toEqual([{ name: 'notes ü.txt', bytes: 9, sha256: sha256('some text') }])
    expect(await session.list()).toMatchObject([{ name: 'notes ü.txt', direction: 'upload', size: 9, complete: true }])
  })

  test('can be empty and of any content type', async () => {
    const empty = await session.call('POST', '', { name: 'empty' })
    const json = await session.call(
      'POST',
      '',
      { name: 'a.json' },
      { body: '{broken', headers: { 'content-type': 'application/json' } },
    )

    expect([empty.status, json.status]).toEqual([200, 200])
    expect((await session.list()).map((file) => file.size)).toEqual([0, 7])
    expect(await (await session.call('GET', '/a.json')).text()).toBe('{broken')
  })

  test('shares a folder with the other uploads of its group', async () => {
    const paths = await Promise.all(
      ['dir/a.txt', 'dir/b/c.txt'].map(async (name) => {
        const answer = await session.upload(name, { name, group: 'g1' })
        return ((await answer.json()) as { path: string }).path
      }),
    )
    const again = await session.upload('x', { name: 'dir/a.txt', group: 'g1' })

    expect(paths.map((path) => path.split('/g1/')[1])).toEqual(['dir/a.txt', 'dir/b/c.txt'])
    expect(paths[0]?.split('/g1/')[0]).toBe(paths[1]?.split('/g1/')[0])
    expect(again.status).toBe(409)
  })

  test.each([
    '../x',
    'a/../../x',
    '/etc/passwd',
    'a//b',
    '..\\x',
    '.',
    'a\u0000b',
    'a\nb',
    'x'.repeat(256),
    'a/'.repeat(40) + 'b',
  ])('named %j returns 400', async (name) => {
    const answer = await session.upload('x', { name })

    expect(answer.status).toBe(400)
    expect(await session.list()).toEqual([])
  })

  test('over the quota returns 413, by its Content-Length or while it is sent', async () => {
    const endless = new ReadableStream<Uint8Array>({ pull: (to) => to.enqueue(new Uint8Array(65_536)) })

    const announced = await session.upload(new Uint8Array(2_000_001), { name: 'a' })
    const unannounced = await session.call('POST', '', { name: 'b' }, { body: endless, duplex: 'half' })

    expect(announced.status).toBe(413)
    expect(await unannounced.json()).toMatchObject({
      code: 'FILE_QUOTA_EXCEEDED',
      error: 'The files of a session can have at most 2 MB in total',
    })
    expect(await session.list()).toEqual([])
  })

  test('beyond the maximum number of files returns 413 until one is deleted', async () => {
    for (const name of ['1', '2', '3', '4']) await session.upload('x', { name })

    const fifth = await session.upload('x', { name: '5' })
    await session.call('DELETE', '/2')
    const afterwards = await session.upload('x', { name: '5' })

    expect(await fifth.json()).toMatchObject({
      code: 'FILE_QUOTA_EXCEEDED',
      error: 'A session can have at most 4 files',
    })
    expect(afterwards.status).toBe(200)
    expect((await session.list()).map((file) => file.name)).toEqual(['1', '3', '4', '5'])
  })
})

describe('reading a file', () => {
  test.each([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=4-', 206, '456789', 'bytes 4-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['lines=1-2', 200, '0123456789', null],
  ])('with the range %s returns %d', async (range, status, text, contentRange) => {
    await session.upload('0123456789', { name: 'digits' })

    const answer = await session.call('GET', '/digits', {}, { headers: { range } })

    expect([answer.status, await answer.text(), answer.headers.get('content-range')]).toEqual([
      status,
      text,
      contentRange,
    ])
  })

  test('returns 404 if its path was replaced by a link', async () => {
    await using page = await openPage(session)
    await page.call('Page.navigate', { url: site.url('/download?bytes=10&name=a.txt') }, page.page)
    await expect.poll(async () => (await session.list())[0]?.complete).toBe(true)
    const guid = (await session.list())[0]?.guid ?? ''
    const storedPath = (await readdir(lab.dataDir, { recursive: true })).find((path) => path.endsWith(guid)) ?? ''

    await rm(join(lab.dataDir, storedPath))
    await symlink(join(lab.dataDir, 'server.json'), join(lab.dataDir, storedPath))
    const bySymbol = await session.call('GET', '/a.txt')
    await rm(join(lab.dataDir, storedPath))
    await link(join(lab.dataDir, 'server.json'), join(lab.dataDir, storedPath))
    const byHardLink = await session.call('GET', '/a.txt')

    expect([bySymbol.status, byHardLink.status]).toEqual([404, 404])
  })

  test('fails with FILE_NOT_FOUND if it is missing or outside the folder', async () => {
    for (const name of ['/nothing', '/..%2F..%2Fserver.json', '/%2Fetc%2Fpasswd']) {
      expect(await (await session.call('GET', name)).json()).toMatchObject({ code: 'FILE_NOT_FOUND' })
      expect((await session.call('DELETE', name)).status).toBe(404)
    }
  })
})

describe('the files of a session', () => {
  test('are accessible only with its control token or a key of its team', async () => {
    const { body } = await lab.api('POST', '/v2/team/keys', { team: 'other' })
    const path = `/v2/browser/${session.id}/files`
    const viewToken = new URL(session.interactiveLiveViewUrl ?? '').searchParams.get('token') ?? ''

    const byKey = await lab.api('GET', path)
    const byNobody = await lab.api('GET', path, undefined, {})
    const byStranger = await lab.api('GET', path, undefined, { authorization: `Bearer ${body['key']}` })
    const byViewer = await session.call('GET', '', { token: viewToken })
    const byGuess = await session.call('GET', '', { token: 'guess' })

    expect([byKey, byNobody, byStranger, byViewer, byGuess].map((answer) => answer.status)).toEqual([
      200, 401, 404, 403, 404,
    ])
  })

  test('are deleted with it, also from disk', async () => {
    const created = await lab.createSession()
    const doomed = { ...created, ...filesOf(created) }
    await doomed.upload('x', { name: 'unmistakable.txt' })
    const onDisk = async () => {
      const names = await readdir(join(lab.dataDir), { recursive: true })
      return names.filter((name) => name.includes('unmistakable'))
    }
    expect(await onDisk()).toHaveLength(1)

    await lab.api('DELETE', `/v2/browser/${doomed.id}`)

    expect(await (await doomed.call('GET')).json()).toMatchObject({ code: 'SESSION_ENDED' })
    await expect.poll(onDisk).toEqual([])
  })
})
