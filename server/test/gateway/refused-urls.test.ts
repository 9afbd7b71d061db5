import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPaths } from '../../../test/lab/browser-paths.ts'
import { startLab } from '../../../test/lab/lab.ts'

const document_ = `<style>div { width: 100px; height: 60px }</style>
  <div id=source draggable=true>source</div><div id=target>target</div>
  <script>
    const seen = []
    target.ondragover = (event) => event.preventDefault()
    target.ondrop = (event) => {
      event.preventDefault()
      seen.push(Object.fromEntries([...event.dataTransfer.types].map((type) => [type, event.dataTransfer.getData(type)])))
    }
  </script>`

/** Drags data onto an element. Returns what it gets. */
async function drag(page: Page, data: Readonly<Record<string, string>>): Promise<unknown> {
  await page.evaluate(
    `source.ondragstart = (event) => {
      for (const [type, text] of Object.entries(${JSON.stringify(data)})) event.dataTransfer.setData(type, text)
    }`,
  )
  await page.dragAndDrop('#source', '#target')
  return page.evaluate('seen.pop()')
}

describe.each(['shell', 'chromium'] as const)('in %s', (kind) => {
  let undo: AsyncDisposableStack
  let direct: Browser
  let remote: Browser
  beforeAll(async () => {
    undo = new AsyncDisposableStack()
    direct = undo.use(await chromium.launch({ executablePath: browserPaths[kind], chromiumSandbox: false }))
    const lab = undo.use(await startLab({ browser: kind }))
    remote = undo.use(await chromium.connectOverCDP((await lab.createSession()).cdpUrl))
  })
  afterAll(async () => undo.disposeAsync())

  async function open(browser: Browser): Promise<Page> {
    const context = browser.contexts()[0] ?? (await browser.newContext())
    const page = await context.newPage()
    await page.setContent(document_)
    return page
  }

  test('dragged data is that of a local browser, except URLs that a client may not open', async () => {
    const [local, page] = [await open(direct), await open(remote)]
    const blocked = 'about:blank#blocked'

    for (const data of [
      { 'text/plain': 'file:///etc/passwd', 'text/uri-list': 'https://a.example/\r\nmailto:ada@example.com' },
      { 'text/uri-list': '# comment\r\nitem-7', 'text/html': '<b>x</b>' },
    ]) {
      expect(await drag(page, data)).toEqual(await drag(local, data))
    }
    expect(await drag(page, { 'text/uri-list': 'file:///etc/passwd', 'text/plain': 'x' })).toEqual({
      'text/uri-list': blocked,
      'text/plain': 'x',
    })
    const mozilla = { 'text/x-moz-url': 'https://a.example/\nfile: title\nfile:///etc/passwd\nTitle' }
    expect(await drag(page, mozilla)).toEqual({
      'text/x-moz-url': `https://a.example/\r\nfile: title\r\n${blocked}\r\nTitle`,
    })
    expect(await drag(page, { 'text/plain': 'later' })).toEqual({ 'text/plain': 'later' })
  })

  test('a navigation to a link for another program is aborted, as by a local browser', async () => {
    const [local, page] = [await open(direct), await open(remote)]

    for (const url of ['mailto:ada@example.com', 'tel:+44', 'sms:1']) {
      const [expected, actual] = await Promise.all(
        [local, page].map(async (each) => each.goto(url).catch((error: Error) => error.message)),
      )

      expect(actual).toBe(expected)
      expect(expected).toContain('net::ERR_ABORTED')
    }
    expect(await page.innerText('#target')).toBe('target')
  })
})
