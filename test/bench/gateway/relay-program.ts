// Launches a browser with a pipe, and passes messages between it and WebSocket clients without reading them: the least
// that a server with a pipe can do. Arguments: the browser's path and a folder for its profile. Prints its port.
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { openPipe } from '../../../server/src/cdp/pipe.ts'
import { acceptWebSocket } from '../../../server/src/gateway/web-socket.ts'

const [executablePath = '', userDataDir = ''] = process.argv.slice(2)
const flags = ['--remote-debugging-pipe', '--headless', '--no-sandbox', '--no-first-run', '--disable-gpu']
const child = spawn(executablePath, [...flags, `--user-data-dir=${userDataDir}`, 'about:blank'], {
  stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
})
const pipe = openPipe(child.stdio[3] as Writable, child.stdio[4] as Readable)

const server = createServer().on('upgrade', (request, socket, head) => {
  const client = acceptWebSocket({ request, socket: socket as Socket, head }, { maxPayloadBytes: 1e8 })
  pipe.onMessage((message) => client.send(message))
  client.on('message', (message) => pipe.send(message.toString()))
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
