import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { openCdpConnection } from '../../src/drivers/cdp-connection.ts'

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
