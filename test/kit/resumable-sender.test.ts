import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { ResumableSender } from '../../src/kit/resumable-sender.ts'

/** A WebSocket that only records. Its peer acknowledges if `acknowledge` is called. */
class RecordingSocket extends EventEmitter {
  readonly OPEN = 1
  readyState = 1
  bufferedAmount = 0
  readonly sent: string[] = []
  readonly pings: string[] = []

  send(message: string): void {
    this.sent.push(message)
  }

  ping(payload: string): void {
    this.pings.push(payload)
  }

  acknowledge(received: string): void {
    this.emit('pong', Buffer.from(received))
  }
}

function attach(sender: ResumableSender, received: number): RecordingSocket {
  const socket = new RecordingSocket()
  sender.attach(socket, received)
  return socket
}

const megabyte = 'x'.repeat(1024 * 1024)

test('messages that the peer has not received are sent again, in order, once', () => {
  using sender = new ResumableSender()
  const first = attach(sender, 0)
  for (const message of ['a', 'b', 'c']) sender.send(message)
  sender.detach()
  sender.send('d')

  const second = attach(sender, 1)
  sender.send('e')

  expect(first.sent).toEqual(['a', 'b', 'c'])
  expect(second.sent).toEqual(['b', 'c', 'd', 'e'])
})

test('acknowledged messages are not kept', () => {
  using sender = new ResumableSender()
  const socket = attach(sender, 0)
  sender.send('a')
  sender.send(megabyte)

  expect(socket.pings).toEqual(['2'])
  socket.acknowledge('2')

  expect(sender.unacknowledgedBytes).toBe(0)
  expect([0, 1, 2, 3].map((received) => sender.canResumeAt(received))).toEqual([false, false, true, false])
})

test.each(['', '7', '-1', 'x', '1e1', '0.5'])('the pong %j acknowledges nothing', (payload) => {
  using sender = new ResumableSender()
  const socket = attach(sender, 0)
  sender.send('a')

  socket.acknowledge(payload)

  expect(sender.unacknowledgedBytes).toBe(1)
})

test('a pong of a former WebSocket acknowledges nothing', () => {
  using sender = new ResumableSender()
  const first = attach(sender, 0)
  sender.send('a')
  attach(sender, 0)

  first.acknowledge('1')

  expect(sender.canResumeAt(0)).toBe(true)
})

test('at most 64 MB are kept for a peer that reads and does not acknowledge', () => {
  using sender = new ResumableSender()
  attach(sender, 0)

  for (let count = 0; count < 80; count += 1) sender.send(megabyte)

  expect(sender.unacknowledgedBytes).toBe(64 * megabyte.length)
  expect([15, 16].map((received) => sender.canResumeAt(received))).toEqual([false, true])
})

test('a lower limit applies to what was sent before it', () => {
  let maxMegabytes = 64
  using sender = new ResumableSender({ maxUnacknowledgedBytes: () => maxMegabytes * megabyte.length })
  attach(sender, 0)
  for (let count = 0; count < 40; count += 1) sender.send(megabyte)

  maxMegabytes = 4
  sender.send(megabyte)

  expect(sender.unacknowledgedBytes).toBe(4 * megabyte.length)
})

test('everything is kept that is still buffered for the peer', () => {
  using sender = new ResumableSender()
  const socket = attach(sender, 0)
  socket.bufferedAmount = 200 * megabyte.length

  for (let count = 0; count < 80; count += 1) sender.send(megabyte)

  expect(sender.canResumeAt(0)).toBe(true)
})
