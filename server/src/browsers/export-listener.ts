import { once } from 'node:events'
import type { ChildProcess } from 'node:child_process'
import { Server } from 'node:net'
import type { Writable } from 'node:stream'
import type { CommandLine } from './command-line.ts'

/** The port on which a browser without a network finds the proxy: of its own loopback interface, so the same for all. */
export const exportedListener = 3128

/** Where the launcher finds its programs inside. */
const inside = { shell: '/browser/sh', node: '/browser/node' } as const

/** What `startProcess` must give to a process that lends its port, behind stderr and the two ends of the pipe. */
export const lendingStdio = ['ipc', 'pipe'] as const
const channelFd = 5
const filterFd = 6

// Listens in the network of the browser and sends the listening socket out: connections are then accepted by the server,
// so that nothing stands between them and no process stays.
const listen = `const server = require('node:net').createServer().listen({ host: '127.0.0.1', port: ${exportedListener}, backlog: 1024 },
  () => process.send('port', server, () => process.exit()))`

// In a subshell, so that not the browser has to collect the listener when it ends.
const script = `(${inside.node} -e "$1" 3<&- 4>&- ${filterFd}<&- &)
shift; unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE; exec ${channelFd}>&- ${filterFd}<&-; exec "$@"`

/** Arguments for bubblewrap that go with `lendPort`. */
export function lendingMounts(): readonly string[] {
  return [
    '--ro-bind',
    '/bin/sh',
    inside.shell,
    '--ro-bind',
    process.execPath,
    inside.node,
    ...(offlineFilter() === undefined ? [] : ['--seccomp', String(filterFd)]),
  ]
}

/** The command that runs a program beside a short-lived process which lends the server a port. */
export function exportListener(command: CommandLine): CommandLine {
  return {
    file: inside.shell,
    args: ['-c', script, 'bowline-launcher', listen, command.file, ...command.args],
  }
}

/** Takes the listening socket from a process that was started with `lendingStdio`. Rejects when it sends none. */
export async function importListener(child: ChildProcess): Promise<Server> {
  const filter = (child.stdio as readonly unknown[])[filterFd] as Writable
  filter.on('error', () => {})
  filter.end(offlineFilter())
  const ended = new AbortController()
  child.once('disconnect', () => ended.abort(new Error('no port was lent from inside bubblewrap')))
  const [, server] = (await once(child, 'message', { signal: ended.signal })) as unknown[]
  if (!(server instanceof Server)) throw new Error('something else than a port was sent from inside bubblewrap')
  if (child.connected) child.disconnect()
  return server
}

const architectures: Readonly<Record<string, { readonly audit: number; readonly socketCall: number }>> = {
  x64: { audit: 0xc000_003e, socketCall: 41 },
  arm64: { audit: 0xc000_00b7, socketCall: 198 },
}

/**
 * A seccomp program that refuses netlink sockets: Chromium cannot ask for network interfaces then, and tells pages that
 * they are online although it has none. Undefined where the numbers are not known.
 */
function offlineFilter(): Buffer | undefined {
  const architecture = architectures[process.arch]
  if (architecture === undefined) return undefined
  const [load, jumpIfEqual, answer] = [0x20, 0x15, 0x06]
  const [allow, refuse, netlink] = [0x7fff_0000, 0x0005_0061, 16]
  const program = [
    [load, 0, 0, 4],
    [jumpIfEqual, 0, 5, architecture.audit],
    [load, 0, 0, 0],
    [jumpIfEqual, 0, 3, architecture.socketCall],
    [load, 0, 0, 16],
    [jumpIfEqual, 0, 1, netlink],
    [answer, 0, 0, refuse],
    [answer, 0, 0, allow],
  ] as const
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(ifTrue, index * 8 + 2)
    bytes.writeUInt8(ifFalse, index * 8 + 3)
    bytes.writeUInt32LE(value, index * 8 + 4)
  }
  return bytes
}
