import { expect, onTestFinished, test, vi } from 'vitest'
import { BrowserMessages } from '../../src/egress/browser-messages.ts'

const rejected = 'ERR_RESPONSE_HEADERS_MULTIPLE_LOCATION'

/** Messages of a browser after a refused connection to `closed.test`. */
function afterRefusal() {
  const messages = new BrowserMessages()
  messages.noteFailure('ERR_CONNECTION_REFUSED', { host: 'closed.test', port: 80 })
  return (message: string): string => messages.rewrite(Buffer.from(message)).toString()
}

test('errors in sessions without `flatten` are those of a direct connection', () => {
  const rewrite = afterRefusal()
  const nested = (message: string): string =>
    JSON.stringify({
      method: 'Target.receivedMessageFromTarget',
      params: { sessionId: 'S', message, targetId: 'T' },
    })
  const failed = (error: string): string =>
    `{"id":1,"result":{"frameId":"F","loaderId":"L","errorText":"net::${error}"}}`

  expect(rewrite(nested(failed(rejected)))).toBe(nested(failed('ERR_CONNECTION_REFUSED')))
  expect(rewrite(nested('{"id":2,"result":{}}'))).toBe(nested('{"id":2,"result":{}}'))
})

test.each(['a%2Ab.invalid', 'a"b.invalid', "a'b.invalid", 'a%20b.invalid', '[2001:db8::1]'])(
  'the error of a connection to %s is that of a direct connection',
  (host) => {
    const messages = new BrowserMessages()
    messages.noteFailure('ERR_CONNECTION_REFUSED', { host: host.replaceAll(/[[\]]/g, ''), port: 80 })
    const rewrite = (message: object): string => messages.rewrite(Buffer.from(JSON.stringify(message))).toString()
    const failed = (error: string): object => ({
      method: 'Network.loadingFailed',
      params: { requestId: 'R', errorText: `net::${error}` },
    })
    const entry = (error: string): object => ({
      method: 'Log.entryAdded',
      params: { entry: { text: `WebSocket connection to 'ws://${host}/' failed: net::${error}` } },
    })

    rewrite({
      method: 'Network.requestWillBeSent',
      params: { requestId: 'R', request: { url: `http://${host}/a'b` } },
    })

    expect(rewrite(failed(rejected))).toBe(JSON.stringify(failed('ERR_CONNECTION_REFUSED')))
    expect(rewrite(entry(rejected))).toBe(JSON.stringify(entry('ERR_CONNECTION_REFUSED')))
  },
)

test('the malformed response of a site keeps its error after an earlier failure of another', () => {
  const rewrite = afterRefusal()
  const entry = (host: string, error: string): string =>
    `{"method":"Log.entryAdded","params":{"entry":{"text":"WebSocket connection to 'ws://${host}/' failed: net::${error}"}}}`

  expect(rewrite(entry('closed.test', rejected))).toBe(entry('closed.test', 'ERR_CONNECTION_REFUSED'))
  expect(rewrite(entry('odd.test', rejected))).toBe(entry('odd.test', rejected))
})

test('the malformed response of a site keeps its error once connections to it have succeeded for a while', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const target = { host: 'odd.test', port: 80 }
  const messages = new BrowserMessages()
  messages.noteFailure('ERR_CONNECTION_REFUSED', target)
  messages.noteConnection(target, '192.0.2.1')
  const failed = (error: string): string =>
    `{"method":"Log.entryAdded","params":{"entry":{"text":"WebSocket connection to 'ws://odd.test/' failed: net::${error}"}}}`
  const rewrite = (): string => messages.rewrite(Buffer.from(failed(rejected))).toString()

  // Messages about the refused connection can still arrive.
  expect(rewrite()).toBe(failed('ERR_CONNECTION_REFUSED'))
  vi.advanceTimersByTime(31_000)
  messages.noteConnection(target, '192.0.2.1')
  expect(rewrite()).toBe(failed(rejected))
})

test('a response has the address of the host to which the client redirected the request', () => {
  const messages = new BrowserMessages()
  messages.proxies.set('127.0.0.1:9', undefined)
  messages.noteConnection({ host: 'first.test', port: 8001 }, '192.0.2.1')
  messages.noteConnection({ host: 'second.test', port: 8002 }, '192.0.2.2')
  const response = (address: string, port: number): Buffer =>
    Buffer.from(
      `{"method":"Network.responseReceived","params":{"requestId":"R","response":{"url":"http://first.test:8001/a",` +
        `"remoteIPAddress":"${address}","remotePort":${port},"fromDiskCache":false}}}`,
    )
  const sent = `{"method":"Network.requestWillBeSent","params":{"requestId":"R","request":{"url":"http://first.test:8001/a"}}}`
  const paused = `{"method":"Fetch.requestPaused","params":{"requestId":"I","request":{"url":"http://first.test:8001/a"},"networkId":"R"}}`

  messages.rewrite(Buffer.from(sent))
  expect(messages.rewrite(response('127.0.0.1', 9))).toEqual(response('192.0.2.1', 8001))
  messages.rewrite(Buffer.from(paused))
  const params = { requestId: 'I', url: 'http://second.test:8002/b' }
  const message = JSON.stringify({ id: 1, method: 'Fetch.continueRequest', params })
  messages.noteCommand({ method: 'Target.sendMessageToTarget', params: { sessionId: 'S', message } })
  expect(messages.rewrite(response('127.0.0.1', 9))).toEqual(response('192.0.2.2', 8002))
})
