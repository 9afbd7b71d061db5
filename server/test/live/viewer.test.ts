import { EventEmitter } from 'node:events'
import type { WebSocket } from 'ws'
import { expect, test } from 'vitest'
import { encodeFrame } from '../../src/live/frame.ts'
import { Viewer, type ViewerEvents } from '../../src/live/viewer.ts'

const frame = { format: 'jpeg', width: 1, height: 1, image: Buffer.alloc(1) } as const
const looks = { type: 'looks', isVisible: true, width: 800, height: 600, everyMs: 1 }

/** A viewer whose messages all fail. The socket is only an emitter, as no bytes are sent. */
function openViewer(
  events: Partial<ViewerEvents> = {},
  behavior: object = { bufferedAmount: 0, send: () => undefined },
) {
  const socket = Object.defineProperties(
    Object.assign(new EventEmitter(), { readyState: 1, OPEN: 1 }),
    Object.getOwnPropertyDescriptors(behavior),
  )
  const failed = Promise.withResolvers<unknown>()
  const fail = (): never => {
    throw new Error('failed')
  }
  const viewer = new Viewer(socket as unknown as WebSocket, true, {
    onShow: fail,
    onViewport: fail,
    onInteract: fail,
    onReady: fail,
    onQuality: fail,
    onRefused: fail,
    onError: failed.resolve,
    ...events,
  })
  const receive = (message: unknown) => socket.emit('message', Buffer.from(JSON.stringify(message)), false)
  return { viewer, receive, failed: failed.promise }
}

test.each([looks, { type: 'show', tab: null }, { type: 'copy' }])(
  'an error while a viewer message is handled is reported instead of thrown: $type',
  async (message) => {
    const { receive, failed } = openViewer()

    receive(message)

    expect(await failed).toMatchObject({ message: 'failed' })
  },
)

test('an error after the pause between two frames is reported instead of thrown', async () => {
  const { viewer, receive, failed } = openViewer({ onViewport: () => undefined })
  receive(looks)

  viewer.queueFrame(frame)

  expect(await failed).toMatchObject({ message: 'failed' })
})

test.each([-1, 70_000, Number.NaN])('a frame of %d pixels is sent with a size that fits', (width) => {
  expect(() => encodeFrame({ ...frame, width, height: width }, 1)).not.toThrow()
})

/** A viewer with a socket that sends nothing until `drain` is called. */
function openSlowViewer() {
  const unread: string[] = []
  const read: unknown[] = []
  const done: (() => void)[] = []
  let isTerminated = false
  const bytes = (): number => unread.join('').length
  const { viewer } = openViewer(
    {},
    {
      get bufferedAmount() {
        return bytes()
      },
      send: (text: string, callback: () => void) => {
        unread.push(text)
        done.push(callback)
      },
      terminate: () => {
        isTerminated = true
      },
    },
  )
  const drain = (): void => {
    read.push(...unread.splice(0).map((text) => JSON.parse(text) as unknown))
    for (const callback of done.splice(0)) callback()
  }
  return { viewer, read, drain, bytes, isTerminated: () => isTerminated }
}

const half = 'x'.repeat(500_000)

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
