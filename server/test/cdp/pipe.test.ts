import { PassThrough, Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openPipe } from '../../src/cdp/pipe.ts'
import { routePipe } from '../../src/cdp/router.ts'

async function receive(chunks: readonly string[]): Promise<readonly string[]> {
  const fromBrowser = new PassThrough()
  const pipe = openPipe(new PassThrough(), fromBrowser)
  const messages: string[] = []
  pipe.onMessage((message) => messages.push(message.toString()))
  for (const chunk of chunks) fromBrowser.write(chunk)
  fromBrowser.end()
  await pipe.closed
  return messages
}

test('several messages in one chunk are separated', async () => {
  expect(await receive(['one\0two\0'])).toEqual(['one', 'two'])
})

test('a message in many chunks is reassembled', async () => {
  expect(await receive(['o', 'n', 'e\0tw', 'o', '\0'])).toEqual(['one', 'two'])
})

test('an incomplete message is discarded', async () => {
  expect(await receive(['one\0tw'])).toEqual(['one'])
})

test.each<[name: string, chunks: string[], messages: string[]]>([
  ['before its zero byte, once', ['{"id":1}', '\0{"id":2}', '\0', '{"id":3}\0'], ['{"id":1}', '{"id":2}', '{"id":3}']],
  ['whole, if a part of it ends with a brace', ['{"a":{}', '}\0'], ['{"a":{}}']],
  ['whole, if a part of it is valid after the first', ['{"a":', '{}', '}\0'], ['{"a":{}}']],
])('a short message is received %s', async (_name, chunks, messages) => {
  expect(await receive(chunks)).toEqual(messages)
})

test('a response over 256 MB is replaced by an error, and such an event is dropped', async () => {
  const part = 'x'.repeat(1024 * 1024)
  const parts = Array.from({ length: 256 }, () => part)
  const session = '0123456789ABCDEF0123456789ABCDEF'
  const chunks = ['{"id":', '7,"result":"', ...parts, `","sessionId":"${session}`, '"}\0']
  const event = ['{"method":"Runtime.consoleAPICalled","params":"', ...parts, '"}\0{"id":8}\0']

  const [error, ...others] = await receive([...chunks, ...event])

  expect(JSON.parse(error!)).toEqual({
    id: 7,
    error: { code: -32_000, message: 'The result is 268.4 MB, and the limit is 268.4 MB' },
    sessionId: session,
  })
  expect(others).toEqual(['{"id":8}'])
})

test('messages end with a zero byte and are written in their turn', async () => {
  const written: string[] = []
  const toBrowser = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      written.push(String(chunk))
      done()
    },
  })
  const pipe = openPipe(toBrowser, new PassThrough())

  pipe.send('{"id":1}')
  pipe.send('{"id":2}')
  await nextTurn()

  expect(written).toEqual(['{"id":1}\0', '{"id":2}\0'])
})

test('a malformed message from the browser closes the pipe and rejects pending calls', async () => {
  const fromBrowser = new PassThrough()
  const router = routePipe(openPipe(new PassThrough(), fromBrowser))
  const asked = router.call('Browser.getVersion')

  fromBrowser.write('{"method":\0{"id":1,"result":{}}\0')

  await expect(asked).rejects.toMatchObject({ code: 'CDP_FAILED' })
})

test('a closed pipe drops messages, and is not full: nothing would drain it', async () => {
  const toBrowser = new PassThrough()
  const pipe = openPipe(toBrowser, new PassThrough())

  toBrowser.destroy()
  await pipe.closed

  expect(pipe.send('{"id":1}')).toBe(true)
})
