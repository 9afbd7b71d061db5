import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { browserPaths } from '../../../test/lab/browser-paths.ts'
import { connectCdp, type CdpSocket } from '../../../test/lab/cdp-socket.ts'
import { startLab } from '../../../test/lab/lab.ts'

/** Starts a browser without a server. Returns its CDP URL. */
async function startBrowser(undo: AsyncDisposableStack): Promise<string> {
  const folder = undo.use(await mkdtempDisposable(join(tmpdir(), 'bowline-direct-')))
  const args = ['--no-sandbox', '--remote-debugging-port=0', `--user-data-dir=${folder.path}`, 'about:blank']
  const browser = spawn(browserPaths.shell, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  undo.defer(async () => {
    browser.kill('SIGKILL')
    await once(browser, 'close')
  })
  for await (const line of createInterface(browser.stderr)) {
    const url = /listening on (ws:\S+)/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  throw new Error('the browser has ended')
}

let undo: AsyncDisposableStack
let direct: CdpSocket
let remote: CdpSocket
beforeAll(async () => {
  undo = new AsyncDisposableStack()
  direct = undo.use(await connectCdp(await startBrowser(undo)))
  const lab = undo.use(await startLab({ browser: 'shell' }))
  remote = undo.use(await connectCdp((await lab.createSession()).cdpUrl))
})
afterAll(async () => undo.disposeAsync())

/** Sends a text, with the id of a page's session for `PAGE`, and returns the response. */
async function send(cdp: CdpSocket, page: string, text: string): Promise<unknown> {
  const answer = once(cdp.socket, 'message')
  cdp.socket.send(text.replace('PAGE', page))
  const [data] = (await answer) as [Buffer]
  return JSON.parse(data.toString().replaceAll(page, 'PAGE')) as unknown
}

test.each([
  '[]',
  'null',
  '7',
  '"text"',
  '{}',
  '{"id":1}',
  '{"method":"Browser.getVersion"}',
  '{"id":"1","method":"Browser.getVersion"}',
  '{"id":1.5,"method":"Browser.getVersion"}',
  '{"id":null,"method":"Browser.getVersion"}',
  '{"id":1,"method":7}',
  '{"id":1,"method":""}',
  '{"id":1,"method":null}',
  '{"id":1,"method":"Bröwser.getVersion"}',
  '{"id":1,"method":"Browser"}',
  '{"id":1,"method":"Browser.unknown"}',
  '{"id":1,"method":"Unknown.unknown"}',
  '{"id":1,"method":"Browser.getVersion","params":7}',
  '{"id":1,"method":"Browser.getVersion","params":"text"}',
  '{"id":1,"method":"Target.attachToTarget","params":[]}',
  '{"id":1,"method":"Target.attachToTarget","params":{"targetId":7}}',
  '{"id":1,"method":"Browser.getVersion","sessionId":7}',
  '{"id":1,"method":"Browser.getVersion","sessionId":null}',
  '{"id":1,"method":"Browser.getVersion","sessionId":"ü"}',
  '{"id":1,"params":7,"method":7}',
  '{"id":1,"method":"Browser.getVersion","sessionid":"PAGE"}',
  '{"id":1,"sessionId":"PAGE"}',
  '{"id":1,"method":"","sessionId":"PAGE"}',
  '{"id":1,"method":"Page.unknown","sessionId":"PAGE"}',
  '{"id":1,"method":"Page.navigate","params":7,"sessionId":"PAGE"}',
  '{"id":1,"method":"Page.navigate","params":{"url":"not a URL"},"sessionId":"PAGE"}',
  '{"id":1,"method":"DOM.querySelector","params":{"nodeId":"1"},"sessionId":"PAGE"}',
])('%s gets the response of Chromium', async (text) => {
  const expected = await send(direct, await direct.attachToPage(), text)

  expect(await send(remote, await remote.attachToPage(), text)).toEqual(expected)
  expect(expected).toMatchObject({ error: {} })
})

test('a text that is not JSON gets the code of Chromium', async () => {
  for (const text of ['', '{', '{"id":1,}', 'text']) {
    const expected = await send(direct, 'none', text)

    expect(await send(remote, 'none', text), text).toMatchObject({ error: { code: -32_700 } })
    expect(expected, text).toMatchObject({ error: { code: -32_700 } })
  }
})

test('an unknown session gets the error of Chromium, with its id', async () => {
  const text = '{"id":1,"method":"Page.enable","sessionId":"unknown"}'
  const expected = await send(direct, 'none', text)

  expect(await send(remote, 'none', text)).toEqual({ ...(expected as object), sessionId: 'unknown' })
})
