import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { ClosableFrames } from '../../src/cluster/closable-frames.ts'

const handshake = Buffer.from('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n')

function frameOf(length: number): Buffer {
  const payload = Buffer.alloc(length, 'x')
  if (length < 126) return Buffer.concat([Buffer.from([0x81, length]), payload])
  const header = Buffer.alloc(length < 65_536 ? 4 : 10)
  header[0] = 0x81
  header[1] = length < 65_536 ? 126 : 127
  if (length < 65_536) header.writeUInt16BE(length, 2)
  else header.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([header, payload])
}

const closeFrame = Buffer.concat([Buffer.from([0x88, 6, 0x03, 0xf4]), Buffer.from('over')])

const first = frameOf(70_000)
const all = Buffer.concat([handshake, first, frameOf(0), frameOf(300), frameOf(5)])
const afterFirst = handshake.length + first.length

test.each([
  ['before the first frame', handshake.length, handshake.length],
  ['in the header of a frame', handshake.length + 3, afterFirst],
  ['in the payload of a frame', handshake.length + 40_000, afterFirst],
  ['between two frames', afterFirst, afterFirst],
  ['in the handshake', 20, handshake.length],
])('a close sent %s ends the stream after the last complete frame', async (_when, closedAt, end) => {
  for (const step of [1000, 70_000, 1_000_000]) {
    const frames = new ClosableFrames({ highWaterMark: 1e6 })
    const sent = buffer(frames)
    for (let at = 0; at < closedAt; at += step) frames.write(all.subarray(at, Math.min(at + step, closedAt)))

    frames.closeWith(1012, 'over')
    frames.write(all.subarray(closedAt))

    expect((await sent).equals(Buffer.concat([all.subarray(0, end), closeFrame]))).toBe(true)
  }
})

test('a stream that is not closed passes unchanged', async () => {
  const frames = new ClosableFrames()
  const sent = buffer(frames)

  for (const byte of all) frames.write(Buffer.from([byte]))
  frames.end()

  expect((await sent).equals(all)).toBe(true)
})
