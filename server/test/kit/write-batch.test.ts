import { Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { WriteBatch } from '../../src/kit/write-batch.ts'

test('the first write of a turn is made at once, and the others together', async () => {
  const { stream, writes } = recordingStream()
  const batch = new WriteBatch(stream)
  const write = (text: string): void => {
    batch.beforeWrite()
    stream.write(text)
  }

  for (const text of ['a', 'b', 'c', 'd']) write(text)
  expect(writes).toEqual(['a'])
  await nextTurn()
  expect(writes).toEqual(['a', 'bcd'])

  write('e')
  await nextTurn()
  write('f')
  expect(writes).toEqual(['a', 'bcd', 'e', 'f'])
})

test('a stream that ends in the same turn writes everything', async () => {
  const { stream, writes } = recordingStream()
  const batch = new WriteBatch(stream)

  for (const text of ['a', 'b', 'c']) {
    batch.beforeWrite()
    stream.write(text)
  }
  stream.end()
  await nextTurn()

  expect(writes).toEqual(['a', 'bc'])
})

function recordingStream(): { readonly stream: Writable; readonly writes: readonly string[] } {
  const writes: string[] = []
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      writes.push(text)
      done()
    },
    writev: (chunks, done) => {
      writes.push(chunks.map(({ chunk }) => String(chunk)).join(''))
      done()
    },
  })
  return { stream, writes }
}
