import { PassThrough, Writable } from 'node:stream'
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

test('several messages in one chunk are told apart', async () => {
  expect(await receive(['one\0two\0'])).toEqual(['one', 'two'])
})

test('a message in many chunks is put together', async () => {
  expect(await receive(['o', 'n', 'e\0tw', 'o', '\0'])).toEqual(['one', 'two'])
})

test('a message that was cut off is not handed on', async () => {
  expect(await receive(['one\0tw'])).toEqual(['one'])
})

test('each message sent ends with a zero byte, and those sent in one go are written in one go', async () => {
  const written = Promise.withResolvers<string>()
  const toBrowser = new Writable({
    decodeStrings: false,
    writev: (chunks) => written.resolve(chunks.map(({ chunk }) => String(chunk)).join('|')),
  })
  const pipe = openPipe(toBrowser, new PassThrough())

  pipe.send('{"id":1}')
  pipe.send('{"id":2}')

  expect(await written.promise).toBe('{"id":1}\0|{"id":2}\0')
})

test('a browser that says what is no CDP loses its pipe, and the server lives on', async () => {
  const fromBrowser = new PassThrough()
  const router = routePipe(openPipe(new PassThrough(), fromBrowser))
  const asked = router.call('Browser.getVersion')

  fromBrowser.write('{"method":\0{"id":1,"result":{}}\0')

  await expect(asked).rejects.toMatchObject({ code: 'CDP_FAILED' })
})

test('a pipe whose browser is gone takes no message', async () => {
  const toBrowser = new PassThrough()
  const pipe = openPipe(toBrowser, new PassThrough())

  toBrowser.destroy()
  await pipe.closed

  expect(pipe.send('{"id":1}')).toBe(false)
})
