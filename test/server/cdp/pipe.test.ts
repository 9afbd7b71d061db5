import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { openPipe } from '../../../src/server/cdp/pipe.ts'

const receive = async (chunks: readonly string[]): Promise<readonly string[]> => {
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

test('each message sent ends with a zero byte', async () => {
  const toBrowser = new PassThrough()
  const pipe = openPipe(toBrowser, new PassThrough())

  pipe.send('{"id":1}')

  expect(String(toBrowser.read())).toBe('{"id":1}\0')
})
