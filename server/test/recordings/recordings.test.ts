import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Bowline, type Session } from '../../../src/index.ts'
import { playwright } from '../../../src/playwright.ts'
import { browserPids } from '../../../test/lab/browser-processes.ts'
import { findHarErrors } from '../../../test/lab/har-schema.ts'
import { describeEachDriver, type SharedPage } from '../../../test/lab/drivers.ts'
import { TempFile } from '../../src/recordings/temp-file.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { fixedPage } from '../../../test/lab/pages/page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let site: Site
let bowline: Bowline
beforeAll(async () => {
  site = fixture.use(await startSite())
  lab = fixture.use(await startLab())
  bowline = fixture.use(new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false }))
})
afterAll(async () => fixture.disposeAsync())

interface Header {
  readonly name: string
  readonly value: string
}

interface Entry {
  readonly request: {
    readonly url: string
    readonly method: string
    readonly headers: Header[]
    readonly postData?: { text: string }
  }
  readonly response: {
    readonly status: number
    readonly redirectURL: string
    readonly headers: Header[]
    readonly content: { size: number; text?: string }
  }
  readonly timings: Record<string, number>
  readonly time: number
  readonly _webSocketMessages?: readonly { type: string; data: string }[]
}

async function textOf(session: Session, name: string): Promise<string> {
  return new Response(await session.recordings.read(name)).text()
}

/** Waits until a page shows the echo of its WebSocket, so that all of its requests have ended. */
async function settled(page: SharedPage): Promise<void> {
  return page.evaluate(`new Promise((resolve) => {
    const texts = () => ['#socket', '#xhr', '#fetch'].map((id) => document.querySelector(id).textContent)
    const look = () => (texts().includes('') ? setTimeout(look, 20) : resolve())
    look()
  })`)
}

/** Emulates a window, intercepts a request and answers a dialog. */
async function disturb(page: Page): Promise<readonly unknown[]> {
  await page.setViewportSize({ width: 640, height: 400 })
  await page.route('**/made-up', async (route) => route.fulfill({ body: '<h1>Instead</h1>', contentType: 'text/html' }))
  page.on('dialog', (dialog) => void dialog.accept('answered'))
  await page.goto(site.url('/made-up'))
  const answer = await page.evaluate<string>(`prompt('What?')`)
  return [await page.textContent('h1'), answer, page.viewportSize()?.width, await page.evaluate<number>('innerWidth')]
}

describeEachDriver('a recorded session', (driver) => {
  let session: Session
  let disturbed: readonly unknown[]
  let entries: readonly Entry[]
  const entryOf = (path: string): Entry | undefined =>
    entries.find(({ request }) => [site.url(path), site.url(path).replace('http', 'ws')].includes(request.url))

  beforeAll(async () => {
    const outcome = await bowline.withSession({ driver, record: true }, async (work) => {
      session = work.session
      await work.page.goto(site.url('/cookies/set?name=login&value=hush'))
      await work.page.goto(site.url('/redirect?to=/canvas'))
      await work.page.goto(site.url('/network'))
      await settled(work.page)
      await work.page.goto(site.url('/console'))
      if (driver === playwright) disturbed = await disturb(work.page as Page)
    })
    expect(outcome.recordings.map(({ name }) => name).toSorted()).toEqual([
      'console.jsonl',
      'har.json',
      'picture.webp',
      'player.html',
      'video.webm',
    ])
    entries = (JSON.parse(await textOf(session, 'har.json')) as { log: { entries: Entry[] } }).log.entries
  })

  test('has a HAR file with redirects, bodies, sizes, timings and WebSocket messages', () => {
    expect(entryOf('/redirect?to=/canvas')).toMatchObject({ response: { status: 302, redirectURL: '/canvas' } })
    expect(entryOf('/canvas')).toMatchObject({
      request: { method: 'GET' },
      response: { status: 200, content: { text: expect.stringContaining('requestAnimationFrame') as string } },
    })
    expect(entryOf('/echo')?.request).toMatchObject({
      method: 'POST',
      postData: { text: expect.any(String) as string },
    })
    expect(entryOf('/socket')?._webSocketMessages).toMatchObject([
      { type: 'send', data: 'hello' },
      { type: 'receive', data: 'hello' },
    ])
    for (const { timings, time } of entries.filter(({ response }) => response.status === 200)) {
      const sum = ['blocked', 'dns', 'connect', 'send', 'wait', 'receive'].map((phase) => Math.max(0, timings[phase]!))
      expect(sum.reduce((total, ms) => total + ms)).toBeCloseTo(time, 3)
    }
  })

  test('has a HAR file that matches the schema of HAR 1.2', async () => {
    expect(findHarErrors(JSON.parse(await textOf(session, 'har.json')))).toEqual([])
  })

  test('has a HAR file without cookie values', () => {
    const headers = entries.flatMap(({ request, response }) => [...request.headers, ...response.headers])

    expect(headers.map(({ name }) => name.toLowerCase())).toEqual(expect.arrayContaining(['cookie', 'set-cookie']))
    expect(JSON.stringify(entries.map(({ request, response }) => [request.headers, response.headers]))).not.toContain(
      'hush',
    )
  })

  test('has a log of console messages and exceptions', async () => {
    const lines = (await textOf(session, 'console.jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object)

    expect(lines).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ level: 'log', text: 'logged {depth: 1}' }),
        expect.objectContaining({ level: 'error', text: 'complained' }),
        expect.objectContaining({ source: 'exception', text: expect.stringContaining('Error: thrown') as string }),
      ]),
    )
  })

  // The remaining tests do not depend on the driver.
  if (driver !== playwright) return

  test('is not affected in its emulation, dialogs and interception', () => {
    expect(disturbed).toEqual(['Instead', 'answered', 640, 640])
  })

  test('cannot be read by other teams or without its token', async () => {
    const listed = await session.recordings.list()
    const url = new URL(listed.find(({ name }) => name === 'player.html')!.url)
    const foreign = (await lab.api('POST', '/v2/team/keys', { team: 'others' })).body['key'] as string
    const otherTeam = { authorization: `Bearer ${foreign}` }
    const list = `/v2/browser/${session.id}/recordings`

    const page = await lab.api('GET', url.pathname + url.search, undefined, {})
    const refusals = [
      await lab.api('GET', list, undefined, otherTeam),
      await lab.api('GET', `${list}/har.json`, undefined, otherTeam),
      await lab.api('GET', `${url.pathname}?token=wrong`, undefined, {}),
    ]

    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox allow-scripts/)
    expect(refusals.map(({ status }) => status)).toEqual([404, 404, 404])
  })

  test('has a player that works offline', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'player.html')
    await session.recordings.download('player.html', path)
    await using browser = await chromium.launch({ executablePath: lab.server.browser.path })
    const page = await browser.newPage()
    const refused: string[] = []
    page.on('console', (message) => refused.push(message.text()))
    page.on('pageerror', (error) => refused.push(error.message))

    await page.goto(pathToFileURL(path).href)
    await page.locator('.network li').first().waitFor()
    expect(await page.getByText(`Session ${session.id}`).isVisible()).toBe(true)
    expect(await page.locator('.console li.later').count()).toBeGreaterThan(0)
    // It is disabled until the first painted frame is found. Keys pressed before have no effect.
    await page.locator('#time:enabled').waitFor()
    await page.getByLabel('Time').press('End')
    await expect.poll(async () => page.locator('.later').count()).toBe(0)
    await page.getByLabel('Time').fill('0')
    expect(await page.locator('.console li.later').count()).toBeGreaterThan(0)
    const video = await page.evaluate<readonly number[]>(
      `(({ videoWidth, duration }) => [videoWidth, duration])(document.querySelector('video'))`,
    )
    const rows = await page.locator('.console li').count()

    expect(refused).toEqual([])
    expect(video[0]).toBeGreaterThan(500)
    expect(video[1]).toBeGreaterThan(0.1)
    expect(rows).toBeGreaterThanOrEqual(3)
    expect(await page.locator('.network li').count()).toBe(entries.length)

    const listed = await session.recordings.list()
    await page.goto(listed.find(({ name }) => name === 'video.webm')?.url ?? '')
    await page.waitForFunction('document.querySelector("video").videoWidth > 500')
  })
})

const onFailure = { console: true, keep: 'on-failure' } as const

async function namesOf(session: Session): Promise<readonly string[]> {
  return (await session.recordings.list()).map(({ name }) => name)
}

test('the document of a cross-site frame and the script of a worker are recorded with their responses', async () => {
  await using pages = await startSite({
    '/inner': fixedPage('Inner', '<p>Inside</p>'),
    '/worker.js': ({ response }) =>
      void response.writeHead(200, { 'content-type': 'text/javascript' }).end('postMessage(1)'),
    '/outer': ({ response, url }) => {
      const inner = url.origin.replace('127.0.0.1', 'localhost')
      response.setHeader('content-type', 'text/html')
      response.end(`<iframe src="${inner}/inner"></iframe><script>
        new Worker('/worker.js').onmessage = () => { document.title = 'Done' }</script>`)
    },
  })
  const { result: session } = await bowline.withSession(
    { driver: playwright, record: { har: true } },
    async ({ page, session }) => {
      await page.goto(pages.url('/outer'))
      await page.waitForFunction(`document.title === 'Done'`)
      return session
    },
  )

  const { log } = JSON.parse(await textOf(session, 'har.json')) as { log: { entries: Entry[] } }
  const found = ['/inner', '/worker.js'].map((path) => log.entries.find(({ request }) => request.url.endsWith(path)))
  expect(found.map((entry) => entry?.response.status)).toEqual([200, 200])
  expect(found[0]?.response.content.text).toContain('Inside')
})

test("recordings with `keep: 'on-failure'` are kept only if the work throws or the browser crashes", async () => {
  const visit = async (fails: boolean): Promise<Session> => {
    const seen: Session[] = []
    const work = bowline.withSession({ driver: playwright, record: onFailure }, async ({ page, session }) => {
      seen.push(session)
      await page.goto(site.url('/console'))
      if (fails) throw new Error('expected failure')
    })
    await (fails ? expect(work).rejects.toThrow('expected failure') : work)
    return seen[0]!
  }
  const crashed = await bowline.sessions.create({ record: onFailure })
  for (const pid of browserPids(lab.dataDir)) process.kill(pid, 'SIGKILL')
  await expect.poll(async () => (await bowline.sessions.get(crashed.id)).status).toBe('destroyed')

  expect(await namesOf(await visit(false))).toEqual([])
  expect(await namesOf(await visit(true))).toEqual(['console.jsonl', 'player.html'])
  expect(await namesOf(crashed)).toEqual(['console.jsonl', 'player.html'])
})

test('a client that sets the clock of a page to any time is recorded', async () => {
  const record = { har: true, console: true }
  const { result } = await bowline.withSession({ driver: playwright, record }, async ({ page, session }) => {
    await page.goto(site.url('/network'))
    const cdp = await page.context().newCDPSession(page)
    // Later than a `Date` can hold.
    const policy = { policy: 'pauseIfNetworkFetchesPending', initialVirtualTime: 8.8e12 } as const
    await cdp.send('Emulation.setVirtualTimePolicy', policy)
    await page.evaluate(`fetch('/canvas').then((response) => response.text()).then(() => console.log('fetched'))`)
    return session
  })

  expect(await textOf(result, 'har.json')).toContain(site.url('/canvas'))
  expect(await textOf(result, 'console.jsonl')).toContain('fetched')
})

test('data appended while a recording closes is dropped without losing earlier data', async () => {
  await using folder = await temporaryFolder()
  const file = new TempFile(join(folder.path, 'console'), 1e6)
  file.append(Buffer.alloc(500_000))
  const closing = file.close()

  const late = file.append(Buffer.from('late'))
  await closing

  expect(late).toBeUndefined()
  expect(await readFile(file.path)).toHaveLength(500_000)
})
