import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { openCdpConnection } from '../../src/drivers/cdp-connection.ts'
import { startCuttingProxy } from '../lab/cutting-proxy.ts'
import { startLab } from '../lab/lab.ts'

afterEach(() => void vi.useRealTimers())

test('the handshake times out if the service accepts the connection and never responds', async () => {
  await using silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const asked = once(silent, 'connection')
  const { port } = silent.address() as AddressInfo

  const connecting = openCdpConnection(
    `ws://127.0.0.1:${port}/`,
    { onMessage: () => undefined, onClose: () => undefined },
    50,
  )

  await expect(connecting).rejects.toThrow('timed out')
  const [socket] = (await asked) as [Socket]
  await once(socket.on('error', () => undefined).resume(), 'close')
})

test('a half-open connection is resumed after 50 s of silence', async () => {
  // Before the connection starts its interval. Everything else takes its real time.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  await using lab = await startLab()
  await using proxy = await startCuttingProxy(lab.server.url)
  const { cdpUrl } = await lab.createSession()
  const responses: number[] = []
  const closed = vi.fn<(code: number) => void>()
  const url = cdpUrl.replace(new URL(lab.server.url).host, new URL(proxy.url).host)
  const connection = await openCdpConnection(url, {
    onMessage: (message) => responses.push((JSON.parse(message) as { id: number }).id),
    onClose: closed,
  })
  connection.send('{"id":1,"method":"Browser.getVersion"}')
  await expect.poll(() => responses).toEqual([1])

  proxy.freeze()
  connection.send('{"id":2,"method":"Browser.getVersion"}')
  vi.advanceTimersByTime(50_000)
  const before = [...responses]
  vi.advanceTimersByTime(10_000)

  await expect.poll(() => responses).toEqual([1, 2])
  expect(before).toEqual([1])
  expect(closed).not.toHaveBeenCalled()
  connection.close()
})
