import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ClientConnection } from '../../src/gateway/client-connection.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function open() {
  const socket = Object.assign(new EventEmitter(), {
    isPaused: false,
    pause: () => void (socket.isPaused = true),
    resume: () => void (socket.isPaused = false),
    close: () => undefined,
    terminate: () => undefined,
  })
  const connection = new ClientConnection(0, { maxUnacknowledgedBytes: () => 1 })
  const ignore = (): void => undefined
  connection.start(socket as never, { onMessage: ignore, onAlive: ignore, onDrain: ignore, onEnd: ignore })
  return { connection, socket }
}

test('a pause of a client lasts its full time, even if the browser accepts commands again earlier', () => {
  const { connection, socket } = open()

  connection.pauseFor(1000)
  connection.resumeReading()
  vi.advanceTimersByTime(999)
  const wasPaused = socket.isPaused
  vi.advanceTimersByTime(1)

  expect([wasPaused, socket.isPaused]).toEqual([true, false])
})

test('a client is not read after that time while the browser accepts no commands', () => {
  const { connection, socket } = open()

  connection.pauseReading()
  connection.pauseFor(1000)
  vi.advanceTimersByTime(2000)
  const wasPaused = socket.isPaused
  connection.resumeReading()

  expect([wasPaused, socket.isPaused]).toEqual([true, false])
})

test('a client that is closed is read at once, for its close frame', () => {
  const { connection, socket } = open()

  connection.pauseFor(1000)
  connection.close('closed')

  expect(socket.isPaused).toBe(false)
})
