import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { OutputCapture } from '../../src/execution/output-capture.ts'

const options = { maxBytes: 100, floodBytes: 1000, onFlood: () => undefined }

test('output between calls belongs to the next call, also if the stream is resumed by others', async () => {
  const stream = new PassThrough()
  const capture = new OutputCapture(stream, options)
  capture.begin('END1')
  stream.write('oneEND1late')
  await capture.marked
  expect(capture.end()).toEqual({ text: 'one', isTruncated: false })

  // As Node.js does with the streams of a child process that exits.
  stream.resume()
  stream.write(' later')
  await new Promise(setImmediate)
  capture.begin('END2')
  stream.write(' twoEND2')
  await capture.marked

  expect(capture.end()).toEqual({ text: 'late later two', isTruncated: false })
})

test('what a process in the background writes after the end of an interpreter is bounded', async () => {
  const stream = new PassThrough()
  const capture = new OutputCapture(stream, options)
  stream.resume()
  for (let count = 0; count < 1000; count++) {
    stream.write('x')
    await new Promise(setImmediate)
  }
  capture.begin('END')
  stream.end('END')
  await capture.marked

  expect(capture.end().text).toBe('x'.repeat(16))
})
