import { once } from 'node:events'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createOwnerFinder } from '../../src/egress/connection-owner.ts'

const uid = process.getuid?.()

/** The server's ends of so many connections on 127.0.0.1. */
async function openConnections(count: number): Promise<AsyncDisposable & { readonly sockets: readonly Socket[] }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  const clients: Socket[] = []
  for (let index = 0; index < count; index++) {
    const arrived = once(server, 'connection')
    clients.push(connect(port, '127.0.0.1'))
    sockets.push((await arrived)[0] as Socket)
  }
  return {
    sockets,
    [Symbol.asyncDispose]: async () => {
      for (const socket of [...clients, ...sockets]) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

test('the user of a connection is found, for concurrent connections and later ones', async () => {
  await using first = await openConnections(30)
  const find = await createOwnerFinder()

  const found = Promise.all(first.sockets.map(async (socket) => find?.(socket)))
  await using second = await openConnections(1)

  expect(await find?.(second.sockets[0]!)).toBe(uid)
  expect(await found).toEqual(first.sockets.map(() => uid))
})

test('no user is found for a connection that does not exist', async () => {
  const find = await createOwnerFinder()

  expect(await find?.({ remotePort: 1, localPort: 1 })).toBeUndefined()
})

test('a line split over two chunks is parsed', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-peer-'))
  const path = join(folder.path, 'tcp')
  const lineOf = (number: number, user: number): string =>
    `${String(number).padStart(4)}: 0100007F:${(1000 + number).toString(16).toUpperCase().padStart(4, '0')} 0100007F:0050 01 00000000:00000000 00:00000000 00000000 ${String(user).padStart(5)} 0 ${number}\n`
  const lines = Array.from({ length: 200 }, (_, number) => lineOf(number, 20_000 + number))
  await writeFile(path, `  sl  local_address rem_address\n${lines.join('')}`)
  const find = await createOwnerFinder(path)

  const users = await Promise.all(
    lines.map(async (_, number) => find?.({ remotePort: 1000 + number, localPort: 0x50 })),
  )

  expect(users).toEqual(lines.map((_, number) => 20_000 + number))
})

test('no finder is created if the kernel has no connection table', async () => {
  expect(await createOwnerFinder('/proc/net/there-is-none')).toBeUndefined()
})
