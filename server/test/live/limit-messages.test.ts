import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { Viewers, type ViewableSession } from '../../src/live/viewers.ts'
import { MessageMemory } from '../../src/kit/message-memory.ts'

const megabyte = 1024 * 1024

let undo: AsyncDisposableStack
beforeEach(() => {
  undo = new AsyncDisposableStack()
  // Sockets and their timeouts stay real.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  undo.defer(() => void vi.useRealTimers())
})
afterEach(async () => undo.disposeAsync())

/** Opens viewers with 6 MB for unfinished messages, half of it for a team. */
async function openViewers() {
  const onError = (error: unknown): never => {
    throw error
  }
  const messages = new MessageMemory({ totalBytes: 6 * megabyte })
  const viewers = undo.use(new Viewers({ billedRow: async () => undefined, messages, onError }))
  const session = {
    row: { id: 'session-1', teamId: 'team-1' },
    liveView: { join: async () => undefined, leave: async () => undefined },
    ended: new AbortController().signal,
    ageMs: () => 0,
  } as unknown as ViewableSession
  const server = createServer().on('upgrade', (request, socket, head) => {
    viewers.connect(session, 'interact', { request, socket: socket as Socket, head })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  undo.defer(() => void server.close())
  const { port } = server.address() as AddressInfo
  return async () => {
    const viewer = new WebSocket(`ws://127.0.0.1:${port}`)
    undo.defer(() => viewer.terminate())
    await once(
      viewer.on('error', () => undefined),
      'open',
    )
    return viewer
  }
}

/** Sends a part of a message. Resolves when the server has received it. */
async function sendFragment(viewer: WebSocket, bytes: number): Promise<void> {
  viewer.send('x'.repeat(bytes), { fin: false })
  viewer.ping()
  await once(viewer, 'pong')
}

test('unfinished messages of the viewers of a team are limited in total', async () => {
  const join = await openViewers()
  const [first, second] = [await join(), await join()]
  await sendFragment(first, 2 * megabyte)

  second.send('x'.repeat(2 * megabyte), { fin: false })
  const [code, reason] = (await once(second, 'close')) as [number, Buffer]

  expect(code).toBe(1013)
  expect(reason.toString()).toBe('The unfinished messages of the team exceed 3 MB: send fewer at a time')
  expect(first.readyState).toBe(first.OPEN)
})

test('a viewer whose message makes no progress is disconnected', async () => {
  const join = await openViewers()
  const viewer = await join()
  const closed = once(viewer, 'close')
  await sendFragment(viewer, megabyte)

  vi.advanceTimersByTime(22_000)

  expect((await closed)[0]).toBe(1008)
})
