import { readFileSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { connect as connectPuppeteer } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CreateSessionResponse } from '../../../src/contract.ts'
import { connectCdp, refusedUpgrade } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'

let lab: Lab
let session: CreateSessionResponse
beforeAll(async () => {
  lab = await startLab()
  session = await lab.createSession()
})
afterAll(async () => lab[Symbol.asyncDispose]())

const token = (): string => new URL(session.cdpUrl).searchParams.get('token') ?? ''

/** The CDP URL with the token in the path. */
const withPathToken = (): string => session.cdpUrl.replace('?token=', '/')

const forms = [
  ['query', (): string => session.cdpUrl],
  ['path', withPathToken],
] as const

/** Appends to the path of a CDP URL, as clients with an HTTP endpoint do. */
function endpoint(cdpUrl: string, path: string): string {
  const url = new URL(cdpUrl.replace(/^ws/, 'http'))
  url.pathname += path
  return url.href
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into responses of every shape
async function read(cdpUrl: string, path: string): Promise<any> {
  const response = await fetch(endpoint(cdpUrl, path))
  expect(response.status).toBe(200)
  return response.json()
}

/** Opens a page and returns its target id. */
async function openPage(url = 'about:blank'): Promise<string> {
  await using client = await connectCdp(session.cdpUrl)
  const { result } = await client.call('Target.createTarget', { url })
  return String(result?.['targetId'])
}

describe.each(forms)('below a CDP URL with the token in the %s', (form, cdpUrl) => {
  test.each(['', '/'])('the browser is described at /json/version%s', async (slash) => {
    const version = await read(cdpUrl(), `/json/version${slash}`)

    expect(version).toEqual({
      Browser: expect.stringMatching(/^(?:Headless)?Chrome\/\d+\./),
      'Protocol-Version': '1.3',
      'User-Agent': expect.stringContaining('Mozilla/5.0'),
      'V8-Version': expect.stringMatching(/^\d+\./),
      'WebKit-Version': expect.stringMatching(/^537\.36 \(@\w+\)$/),
      webSocketDebuggerUrl: cdpUrl(),
    })
  })

  test.each(['/json', '/json/', '/json/list', '/json/list/'])(
    'the pages are listed at %s, each with a WebSocket that needs nothing but its URL',
    async (path) => {
      const listedUrl = 'data:text/html,<title>listed</title>'
      const id = await openPage(listedUrl)

      const find = async () => (await read(cdpUrl(), path)).find((each: { id: string }) => each.id === id)

      await expect.poll(find).toMatchObject({ type: 'page', title: 'listed', url: listedUrl })
      const found = await find()
      const { webSocketDebuggerUrl, devtoolsFrontendUrl } = found
      expect(devtoolsFrontendUrl).toContain(`?ws=${encodeURIComponent(webSocketDebuggerUrl.slice('ws://'.length))}`)
      expect(webSocketDebuggerUrl.includes('?token=')).toBe(form === 'query')
      await using page = await connectCdp(webSocketDebuggerUrl)
      const { result } = await page.call('Runtime.evaluate', { expression: 'document.title' })
      expect(result).toMatchObject({ result: { value: 'listed' } })
    },
  )

  test.each(['', '/'])('the protocol is described at /json/protocol%s', async (slash) => {
    const { version, domains } = await read(cdpUrl(), `/json/protocol${slash}`)

    expect(version).toEqual({ major: '1', minor: '3' })
    const names = domains.map(({ domain }: { domain: string }) => domain)
    expect(names).toEqual(expect.arrayContaining(['Page', 'Target', 'Runtime', 'Debugger']))
  })

  test('Playwright connects over HTTP, and other clients stay connected', async () => {
    await using other = await connectCdp(session.cdpUrl)

    const browser = await chromium.connectOverCDP(endpoint(cdpUrl(), ''))
    const page = await browser.contexts()[0]!.newPage()
    await page.goto('data:text/html,<title>over http</title>')
    const title = await page.title()
    await browser.close()

    expect(title).toBe('over http')
    expect((await other.call('Browser.getVersion')).result).toMatchObject({ protocolVersion: '1.3' })
  })

  test('Puppeteer connects to the WebSocket', async () => {
    const { webSocketDebuggerUrl } = await read(cdpUrl(), '/json/version')

    const browser = await connectPuppeteer({ browserWSEndpoint: webSocketDebuggerUrl })
    const page = await browser.newPage()
    await page.goto('data:text/html,<title>puppeteer</title>')
    const title = await page.title()
    await page.close()
    await browser.disconnect()

    expect(title).toBe('puppeteer')
  })
})

test('the protocol is that of the types the server is compiled with, and its own domains', async () => {
  const folder = new URL('../../../node_modules/devtools-protocol/json/', import.meta.url)
  const parts = ['browser_protocol.json', 'js_protocol.json'].map((name) =>
    JSON.parse(readFileSync(new URL(name, folder), 'utf8')),
  )

  const { domains } = await read(session.cdpUrl, '/json/protocol')

  const events = [expect.objectContaining({ name: 'handoffComplete' })]
  const own = [{ domain: 'Cloudflare', events }, { domain: 'Bowline' }].map((each) => expect.objectContaining(each))
  expect(domains, 'run npm run docs').toEqual([...parts.flatMap((part) => part.domains), ...own])
})

describe('discovery', () => {
  test('responds to wrong tokens, tokens of the live view and ended sessions as the WebSocket does', async () => {
    const ended = await lab.createSession()
    await lab.api('DELETE', `/v2/browser/${ended.id}`)
    const viewToken = new URL(session.liveViewUrl ?? '').searchParams.get('token') ?? ''
    for (const cdpUrl of [
      session.cdpUrl.replace(/\?.*/, ''),
      session.cdpUrl.replace(token(), 'wrong'),
      withPathToken().replace(token(), 'wrong'),
      ended.cdpUrl.replace(/token=.*/, `token=${token()}`),
      session.cdpUrl.replace(token(), viewToken),
      ended.cdpUrl,
    ]) {
      const { status, body } = await refusedUpgrade(cdpUrl)
      for (const path of ['/json/version', '/json/list', '/json/protocol']) {
        const response = await fetch(endpoint(cdpUrl, path))
        const { code, error } = (await response.json()) as Record<string, unknown>
        expect({ status: response.status, code, error }).toEqual({ status, code: body['code'], error: body['error'] })
      }
    }
  })

  test('does not count as use of the session, unlike connecting', async () => {
    const used = async (): Promise<number> =>
      Date.parse((await lab.api('GET', `/v2/browser/${session.id}`)).body['lastActivity'])
    const before = await used()

    await read(session.cdpUrl, '/json/version')
    const afterReading = await used()
    await using _ = await connectCdp(session.cdpUrl)

    expect(afterReading).toBe(before)
    expect(await used()).toBeGreaterThan(before)
  })

  test('uses the public URL of the server, with its scheme and path', async () => {
    await using behindProxy = await startLab({ publicUrl: 'https://browsers.example/base' })
    const { cdpUrl } = await behindProxy.createSession()
    expect(cdpUrl).toMatch(/^wss:\/\/browsers\.example\/base\//)
    const reachable = cdpUrl.replace('wss://browsers.example/base', behindProxy.server.url)

    expect(await read(reachable, '/json/version')).toMatchObject({ webSocketDebuggerUrl: cdpUrl })
    const inPath = reachable.replace('?token=', '/')
    const [{ webSocketDebuggerUrl, devtoolsFrontendUrl }] = await read(inPath, '/json/list')
    expect(webSocketDebuggerUrl).toMatch(`${cdpUrl.replace('?token=', '/')}/devtools/page/`)
    expect(devtoolsFrontendUrl).toContain('?wss=browsers.example')
  })
})

describe('the WebSocket of a page', () => {
  const pageUrl = (id: string): string => session.cdpUrl.replace('/cdp?', `/cdp/devtools/page/${id}?`)

  test('speaks CDP for this page, and with sessions for its frames', async () => {
    await using page = await connectCdp(pageUrl(await openPage()))

    await page.call('Page.enable')
    await page.call('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true })
    await page.call('Page.navigate', { url: `data:text/html,<script>new Worker('data:text/javascript,1')</script>` })

    const attached = () => page.events.find(({ method }) => method === 'Target.attachedToTarget')
    await expect.poll(attached).toBeDefined()
    const workerSession = attached()?.params?.['sessionId'] as string
    const { result } = await page.call('Runtime.evaluate', { expression: 'self.constructor.name' }, workerSession)
    expect(result).toMatchObject({ result: { value: 'DedicatedWorkerGlobalScope' } })
    const own = page.events.filter(({ method }) => method?.startsWith('Page.'))
    expect(own.length).toBeGreaterThan(0)
    expect(own.filter(({ sessionId }) => sessionId !== undefined)).toEqual([])
  })

  test('follows the command policy, and can pause requests of its page', async () => {
    await using page = await connectCdp(pageUrl(await openPage()))

    expect((await page.call('Page.navigate', { url: 'file:///etc/passwd' })).error?.message).toContain('not allowed')
    expect((await page.call('SystemInfo.getInfo')).error?.message).toContain('not allowed')
    expect((await page.call('Fetch.enable')).error).toBeUndefined()
  })

  test('reports the dialogs of its page', async () => {
    await using page = await connectCdp(pageUrl(await openPage()))
    await page.call('Page.enable')
    const shown = page.call('Runtime.evaluate', { expression: 'confirm("Sure?")' })
    await expect.poll(() => page.events.map(({ method }) => method)).toContain('Page.javascriptDialogOpening')

    await page.call('Page.handleJavaScriptDialog', { accept: true })

    expect((await shown).result).toMatchObject({ result: { value: true } })
  })

  test('is closed when its page is closed', async () => {
    const id = await openPage()
    await using page = await connectCdp(pageUrl(id))

    await using other = await connectCdp(session.cdpUrl)
    await other.call('Target.closeTarget', { targetId: id })

    expect(await page.closed).toEqual({ code: 1000, reason: 'closed' })
    expect(page.events.at(-1)).toEqual({ method: 'Inspector.detached', params: { reason: 'target_closed' } })
  })

  test('leaves its page open when it disconnects', async () => {
    const id = await openPage()
    await using other = await connectCdp(session.cdpUrl)
    const page = await connectCdp(pageUrl(id))
    await page[Symbol.asyncDispose]()

    const { result } = await other.call('Target.getTargets')
    expect(result?.['targetInfos']).toContainEqual(expect.objectContaining({ targetId: id }))
  })

  test('is refused for an unknown target', async () => {
    const refusal = await refusedUpgrade(pageUrl('0123456789ABCDEF'))

    expect(refusal).toMatchObject({ status: 404, body: { code: 'TARGET_NOT_FOUND' } })
  })

  test('is closed with the reason of the end of the session', async () => {
    const short = await lab.createSession()
    const [{ webSocketDebuggerUrl }] = await read(short.cdpUrl, '/json/list')
    await using page = await connectCdp(webSocketDebuggerUrl)

    await lab.api('DELETE', `/v2/browser/${short.id}`)

    expect(await page.closed).toEqual({ code: 4000, reason: 'deleted' })
  })
})
