import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { pipeSockets } from '../../src/kit/pipe-sockets.ts'

const uploadBytes = 20_000_000

/** Answers at once and closes, with the upload unread. In a process of its own, as sites are. */
const server = `
  const server = require('node:net').createServer((socket) => {
    socket.on('error', () => {}).once('data', () => {
      socket.pause().write('too large', () => setTimeout(() => socket.destroy(), 20))
    })
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
`

/** Uploads until the connection fails. Resolves to what was received. */
async function upload(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' })
  let received = ''
  socket.on('data', (chunk) => (received += chunk.toString())).on('error', () => undefined)
  socket.write(Buffer.alloc(uploadBytes))
  await new Promise((resolve) => socket.once('close', resolve))
  return received
}

test('a response before the end of an upload arrives, although the upload then fails', async () => {
  await using undo = new AsyncDisposableStack()
  const site = spawn(process.execPath, ['-e', server], { stdio: ['ignore', 'pipe', 'inherit'] })
  undo.defer(() => void site.kill())
  const [sitePort] = (await once(createInterface(site.stdout), 'line')) as [string]
  const closed: Promise<unknown>[] = []
  const proxy = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (left: Socket) => {
    const remote = connect({ port: Number(sitePort), host: '127.0.0.1', allowHalfOpen: true }, () =>
      pipeSockets(left, remote),
    )
    closed.push(...[left, remote].map(async (socket) => new Promise((resolve) => socket.once('close', resolve))))
  })
  undo.defer(() => void proxy.close())
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const { port } = proxy.address() as AddressInfo

  const received: string[] = []
  for (let round = 0; round < 10; round += 1) received.push(await upload(port))

  expect(received).toEqual(Array.from({ length: 10 }, () => 'too large'))
  await Promise.all(closed)
})
