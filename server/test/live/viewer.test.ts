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

test('a viewer that does not read is disconnected instead of buffering without a limit', () => {
  let buffered = 0
  let isTerminated = false
  const { viewer } = openViewer(
    {},
    {
      get bufferedAmount() {
        return buffered
      },
      send: (text: string) => (buffered += text.length),
      terminate: () => (isTerminated = true),
    },
  )
  const tab = { id: '', title: '', url: 'x'.repeat(1e6), isCrashed: false }

  for (let sent = 0; sent < 30; sent += 1) viewer.notify({ type: 'tabs', tabs: [tab], shown: '', isFollowing: true })

  expect(isTerminated).toBe(true)
  expect(buffered).toBeLessThan(20e6)
})
