import { EventEmitter } from 'node:events'
import type { WebSocket } from 'ws'
import { expect, test, vi } from 'vitest'
import { encodeFrame } from '../../src/live/frame.ts'
import { ViewerBuffers } from '../../src/live/viewer-buffers.ts'
import { Viewer, type ViewerEvents } from '../../src/live/viewer.ts'

const frame = { format: 'jpeg', width: 1, height: 1, image: Buffer.alloc(1) } as const
const viewport = { type: 'viewport', isVisible: true, width: 800, height: 600, minFrameIntervalMs: 1 }

/** A viewer whose messages all fail. The socket is only an emitter, as no bytes are sent. */
function openViewer(
  events: Partial<ViewerEvents> = {},
  behavior: object = { bufferedAmount: 0, send: () => undefined },
  buffers = new ViewerBuffers(),
  isInteractive = true,
) {
  const socket = Object.defineProperties(
    Object.assign(new EventEmitter(), { readyState: 1, OPEN: 1 }),
    Object.getOwnPropertyDescriptors(behavior),
  )
  const failed = Promise.withResolvers<unknown>()
  const fail = (): never => {
    throw new Error('failed')
  }
  const viewer = new Viewer(
    socket as unknown as WebSocket,
    isInteractive,
    {
      onShow: fail,
      onViewport: fail,
      onInteract: fail,
      onInspect: fail,
      onReady: fail,
      onQuality: fail,
      onRefused: fail,
      onError: failed.resolve,
      ...events,
    },
    buffers,
  )
  const receive = (message: unknown) => socket.emit('message', Buffer.from(JSON.stringify(message)), false)
  return { viewer, receive, failed: failed.promise }
}

test.each([viewport, { type: 'show', tab: null }, { type: 'copy' }])(
  'an error while a viewer message is handled is reported instead of thrown: $type',
  async (message) => {
    const { receive, failed } = openViewer()

    receive(message)

    expect(await failed).toMatchObject({ message: 'failed' })
  },
)

test('an error after the pause between two frames is reported instead of thrown', async () => {
  const { viewer, receive, failed } = openViewer({ onViewport: () => undefined })
  receive(viewport)

  viewer.queueFrame(frame)

  expect(await failed).toMatchObject({ message: 'failed' })
})

test.each([-1, 70_000, Number.NaN])('a frame of %d pixels is sent with a size that fits', (width) => {
  expect(() => encodeFrame({ ...frame, width, height: width }, 1)).not.toThrow()
})

/** A viewer with a socket that sends nothing until `drain` is called. */
function openSlowViewer(buffers?: ViewerBuffers) {
  const unread: string[] = []
  const read: unknown[] = []
  const done: (() => void)[] = []
  let isTerminated = false
  const bytes = (): number => unread.join('').length
  const { viewer } = openViewer(
    { onReady: () => undefined },
    {
      get bufferedAmount() {
        return bytes()
      },
      send: (data: Buffer, _options: object, sent: () => void) => {
        unread.push(data.toString())
        done.push(sent)
      },
      ping: () => undefined,
      terminate: () => {
        isTerminated = true
        unread.length = 0
        for (const callback of done.splice(0)) callback()
      },
    },
    buffers,
  )
  const drain = (): void => {
    read.push(...unread.splice(0).map((text) => JSON.parse(text) as unknown))
    for (const callback of done.splice(0)) callback()
  }
  return { viewer, read, drain, bytes, isTerminated: () => isTerminated }
}

const half = 'x'.repeat(500_000)

test('a viewer whose window was hidden gets the newest frame when it is visible again', () => {
  const sent: Buffer[] = []
  const { viewer, receive } = openViewer(
    { onViewport: () => undefined },
    { bufferedAmount: 0, send: (data: Buffer) => void sent.push(data) },
  )
  const newest = { ...frame, width: 2 }

  receive({ ...viewport, isVisible: false, minFrameIntervalMs: 0 })
  for (const each of [frame, newest]) viewer.queueFrame(each)
  const whileHidden = sent.length
  receive({ ...viewport, minFrameIntervalMs: 0 })

  expect(whileHidden).toBe(0)
  expect(sent).toEqual([encodeFrame(newest, 1)])
})

test('a viewer that reads slowly gets only the newest tabs and dialog', () => {
  const { viewer, read, drain, bytes } = openSlowViewer()

  for (let index = 0; index < 20; index += 1) {
    const tab = { id: '', title: `${index}`, url: half, isCrashed: false }
    viewer.notify({ type: 'tabs', tabs: [tab], shown: '', isFollowing: true })
    viewer.notify({ type: 'dialog', dialog: { kind: 'alert', message: `${index}`, defaultText: half, url: '' } })
  }

  expect(bytes()).toBeLessThan(600_000)
  for (let turn = 0; turn < 3; turn += 1) drain()
  expect(read).toMatchObject([{ tabs: [{ title: '0' }] }, { dialog: { message: '19' } }, { tabs: [{ title: '19' }] }])
})

test('a viewer that does not read is disconnected instead of buffering without a limit', () => {
  const { viewer, bytes, isTerminated } = openSlowViewer()

  for (let index = 0; index < 40; index += 1) viewer.notify({ type: 'clipboard', text: half })

  expect(isTerminated()).toBe(true)
  expect(bytes()).toBeLessThan(18e6)
})

test('viewers that do not read share 64 MB, and are disconnected when others need it', () => {
  const buffers = new ViewerBuffers()
  const stalled = Array.from({ length: 50 }, () => openSlowViewer(buffers))
  const large = { ...frame, image: Buffer.alloc(4_000_000) }
  const nowMs = performance.now()

  for (const { viewer } of stalled) viewer.queueFrame(large)
  const other = openSlowViewer(buffers)
  other.viewer.queueFrame(frame)
  const small = other.bytes()
  other.viewer.queueFrame(large)

  expect(stalled.reduce((sum, { bytes }) => sum + bytes(), 0)).toBeLessThan(70e6)
  expect([small, other.bytes()]).toEqual([13, 13])
  for (const { viewer } of stalled) viewer.checkAlive(nowMs + 20_000)
  expect(stalled.filter(({ isTerminated }) => isTerminated()).length).toBeGreaterThan(30)
  expect(other.bytes()).toBeGreaterThan(4_000_000)
})

/** A viewer whose socket can be paused. */
function openPausableViewer(isInteractive = true) {
  const counts = { messages: 0, refusals: 0 }
  let isPaused = false
  const { receive } = openViewer(
    {
      onShow: () => undefined,
      onInteract: () => void (counts.messages += 1),
      onRefused: () => void (counts.refusals += 1),
    },
    {
      bufferedAmount: 0,
      send: () => undefined,
      get isPaused() {
        return isPaused
      },
      pause: () => {
        isPaused = true
      },
      resume: () => {
        isPaused = false
      },
    },
    undefined,
    isInteractive,
  )
  return { receive, counts, isPaused: () => isPaused }
}

test('a viewer that sends more than 1000 messages per second is read more slowly', () => {
  const { receive, isPaused } = openPausableViewer()
  const show = { type: 'show', tab: null }

  for (let index = 0; index < 1900; index += 1) receive(show)
  const wasPaused = isPaused()
  for (let index = 0; index < 3000; index += 1) receive(show)

  expect([wasPaused, isPaused()]).toEqual([false, true])
})

test('a viewer that sends more bytes than two long texts at once is read more slowly', () => {
  const { receive, counts, isPaused } = openPausableViewer()
  const paste = { type: 'paste', text: 'x'.repeat(1_000_000) }

  for (let index = 0; index < 7; index += 1) receive(paste)
  const wasPaused = isPaused()
  for (let index = 0; index < 3; index += 1) receive(paste)

  expect([wasPaused, isPaused()]).toEqual([false, true])
  expect(counts.messages).toBe(10)
})

const manyValues = Array.from({ length: 10_000 }, () => ({}))

test.each([
  ['an input message', { type: 'paste', text: 'x'.repeat(100_000) }],
  ['many values', manyValues],
  ['a valid message with many values', { type: 'show', tab: null, others: manyValues }],
])('refuses %s of a viewer who only watches before it is parsed', (_name, message) => {
  const { receive, counts } = openPausableViewer(false)
  const parse = vi.spyOn(JSON, 'parse')

  receive(message)

  expect(parse).not.toHaveBeenCalled()
  expect(counts).toEqual({ messages: 0, refusals: 1 })
  parse.mockRestore()
})

test.each([
  ['many values', manyValues],
  ['a valid message with many values', { type: 'paste', text: 'x', others: manyValues }],
  ['values behind a long string', { type: 'paste', text: '"\\'.repeat(1000), others: manyValues }],
])('refuses %s before they are parsed', (_name, message) => {
  const { receive, counts } = openPausableViewer()
  const parse = vi.spyOn(JSON, 'parse')

  receive(message)

  expect(parse).not.toHaveBeenCalled()
  expect(counts.messages).toBe(0)
  parse.mockRestore()
})

const finger = { id: 31, x: -99_999.123_456_789_01, y: -99_999.123_456_789_01 }

test.each([
  ['pasted JSON', { type: 'paste', text: JSON.stringify(manyValues.map((_, index) => ({ a: `\\${index}\\"` }))) }],
  ['a pasted backslash', { type: 'paste', text: `${'x'.repeat(5000)}\\` }],
  ['composed text', { type: 'compose', text: '語'.repeat(5000), start: 0, end: 5000 }],
  ['a long URL', { type: 'navigate', url: `data:text/html,${'"[{'.repeat(30_000)}` }],
  ['the answer to a dialog', { type: 'dialog', isAccepted: true, text: '\n'.repeat(5000) }],
  [
    'touches with 16 fingers',
    { type: 'touch', action: 'move', points: Array.from({ length: 16 }, () => finger), modifiers: 15 },
  ],
])('accepts %s', (_name, message) => {
  const { receive, counts } = openPausableViewer()

  receive(message)

  expect(counts.messages).toBe(1)
})
