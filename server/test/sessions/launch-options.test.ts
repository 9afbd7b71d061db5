import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Bowline } from '../../../src/index.ts'
import { playwright } from '../../../src/playwright.ts'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { displaysOf, hasXvfb, isDisplay } from '../browsers/displays.ts'

/** Reads a value in the first page. Playwright would emulate media features. */
async function evaluate(session: { readonly cdpUrl: string }, expression: string): Promise<unknown> {
  await using cdp = await connectCdp(session.cdpUrl)
  const { result } = await cdp.call('Runtime.evaluate', { expression, returnByValue: true }, await cdp.attachToPage())
  return result?.['result'].value
}

describe.each(['shell', 'chromium'] as const)('options of the launch in %s', (browser) => {
  let lab: Lab
  beforeAll(async () => {
    lab = await startLab({ browser, warm: 1 })
  })
  afterAll(async () => lab[Symbol.asyncDispose]())

  const media = `['(prefers-reduced-motion: reduce)', '(prefers-color-scheme: dark)'].map((query) => matchMedia(query).matches)`

  test.each([{}, { profile: { name: 'with-args' } }])('`args` change how pages look, with %j', async (options) => {
    const session = await lab.createSession({ ...options, args: ['--force-prefers-reduced-motion', '--disable-gpu'] })

    expect(await evaluate(session, media)).toEqual([true, false])
  })

  test('a session without them uses a warm browser without them', async () => {
    const session = await lab.createSession({ args: [] })

    expect(await evaluate(session, media)).toEqual([false, false])
  })

  test.runIf(browser === 'shell')(
    '`headless: false` is refused in the headless shell (skipped in Chromium)',
    async () => {
      const before = lab.server.liveSessions()
      const { status, body } = await lab.api('POST', '/v2/browser', { headless: false })

      expect({ status, ...body }).toMatchObject({
        status: 501,
        code: 'NOT_IMPLEMENTED',
        error: '`headless: false` requires full Chromium, not the headless shell',
        hint: 'Start the server with `--browser chromium`.',
      })
      expect(lab.server.liveSessions()).toBe(before)
      const { sessions } = (await lab.api('GET', '/v2/browser')).body
      expect(sessions.filter((session: { readonly status: string }) => session.status === 'error')).toEqual([])
    },
  )

  test('a flag that is not allowed is refused with the list of those that are', async () => {
    const { status, body } = await lab.api('POST', '/v2/browser', { args: ['--disable-gpu', '--no-sandbox'] })

    expect({ status, ...body }).toMatchObject({
      status: 400,
      code: 'BAD_REQUEST',
      error: expect.stringMatching(/args.*1.*"--no-sandbox" is not a flag .* --disable-gpu, /),
    })
  })
})

describe('a session with `headless: false`', () => {
  // Without Xvfb, which the set-up of the tests installs where it may, there is no display.
  test.runIf(hasXvfb).each(['strict', 'uid'] as const)(
    'shows windows on a display of its own, which ends with it, with isolation %s (skipped without Xvfb)',
    async (isolation) => {
      await using lab = await startLab({ browser: 'chromium', isolation })
      const viewport = { width: 900, height: 700, deviceScaleFactor: 2 }
      const session = await lab.createSession({ headless: false, ...(isolation === 'uid' ? { viewport } : {}) })
      const displays = displaysOf(process.pid)

      const [agent, bars, screen, renderer] = (await evaluate(session, appearance)) as [string, number, string, string]

      expect(agent).toMatch(/ Chrome\/\d/)
      expect(agent).not.toContain('Headless')
      expect(bars).toBeGreaterThan(50)
      // Headless Chromium has a screen of 800 x 600 without a viewport.
      expect(screen).toBe(isolation === 'uid' ? '900x787 of 900x700 at 2' : '1920x1080 of 1280x633 at 1')
      expect(renderer).toContain('SwiftShader')
      expect(displays.length).toBeGreaterThan(0)
      await lab.api('DELETE', `/v2/browser/${session.id}`)
      // The browser is closed after the response.
      await expect.poll(() => displays.filter(isDisplay)).toEqual([])
    },
  )

  test.runIf(hasXvfb)('a page that prints does not wait for a dialog (skipped without Xvfb)', async () => {
    await using lab = await startLab({ browser: 'chromium' })
    const session = await lab.createSession({ headless: false })
    await using cdp = await connectCdp(session.cdpUrl)
    const page = await cdp.attachToPage()

    const evaluated = await cdp.call('Runtime.evaluate', { expression: 'print(), 42' }, page)
    const printed = await cdp.call('Page.printToPDF', {}, page)
    const targets = await cdp.call('Target.getTargets')

    expect(evaluated.result).toMatchObject({ result: { value: 42 } })
    expect(String(printed.result?.['data'])).toMatch(/^JVBERi/)
    expect(JSON.stringify(targets.result)).not.toContain('chrome://print')
  })
})

test('tabs in the background of full Chromium have screenshots', async () => {
  await using lab = await startLab({ browser: 'chromium' })
  await using bowline = new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false })
  const { result: sizes } = await bowline.withSession({ driver: playwright }, async ({ page, context }) => {
    const pages = [page, await context.newPage()]
    for (const each of pages) await each.goto('data:text/html,<h1>Harbour</h1>')
    const taken = []
    for (const each of [...pages, ...pages]) taken.push(await each.screenshot({ timeout: 20_000 }))
    return taken.map(({ length }) => length)
  })

  expect(sizes.filter((size) => size > 100)).toHaveLength(4)
})

/** The agent, the height of the window around the page, the screen, and the renderer of WebGL. */
const appearance = `[navigator.userAgent, outerHeight - innerHeight, screen.width + 'x' + screen.height + ' of ' + innerWidth + 'x' + innerHeight + ' at ' + devicePixelRatio, (() => {
  const gl = document.createElement('canvas').getContext('webgl')
  return gl?.getParameter(gl.getExtension('WEBGL_debug_renderer_info').UNMASKED_RENDERER_WEBGL)
})()]`
