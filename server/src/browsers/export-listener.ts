import { on } from 'node:events'
import type { ChildProcess } from 'node:child_process'
import { Server } from 'node:net'
import type { Writable } from 'node:stream'
import type { CommandLine } from './command-line.ts'
import { offlineFilter } from './seccomp.ts'

/**
 * Port on which a browser without network access reaches the proxy. It is on the browser's own
 * loopback interface, so all browsers use the same one.
 */
export const jailProxyPort = 3128

/** Paths of the launcher's programs inside bubblewrap. */
const inside = { shell: '/browser/sh', node: '/browser/node' } as const

/**
 * File descriptors of a process that exports a listener, after stderr and the two ends of the CDP
 * pipe.
 */
export const exportStdio = ['ipc', 'pipe'] as const
const channelFd = 5
const filterFd = 6

// Listens in the jail's network and sends the listening sockets to the server. The server then
// accepts connections directly, and no process stays behind. The only interface of that network is
// loopback: the server tells browser contexts apart by the addresses that they connect to.
const listenOn = (ports: readonly number[]): string => `let left = ${ports.length}
for (const port of ${JSON.stringify(ports)}) {
  const server = require('node:net').createServer().listen({ host: '0.0.0.0', port, backlog: 1024 },
    () => process.send(port, server, () => --left || process.exit()))
}`

// In a subshell, so that the browser is not the parent that has to reap it.
const script = `(${inside.node} -e "$1" 3<&- 4>&- ${filterFd}<&- &)
shift; unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE; exec ${channelFd}>&- ${filterFd}<&-; exec "$@"`

/** bubblewrap arguments that `exportListener` needs. */
export function exportMounts(): readonly string[] {
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

/**
 * Wraps a command so that an additional short-lived process exports listening sockets to the
 * server, one for each port. Default: the port of the proxy.
 */
export function exportListener(command: CommandLine, ports: readonly number[] = [jailProxyPort]): CommandLine {
  return {
    file: inside.shell,
    args: ['-c', script, 'bowline-launcher', listenOn(ports), command.file, ...command.args],
  }
}

/**
 * Receives the listening socket of a process that was started with `exportStdio`. Rejects if none
 * is sent.
 */
export async function importListener(child: ChildProcess): Promise<Server> {
  const server = (await importListeners(child, [jailProxyPort], offlineFilter())).get(jailProxyPort)
  if (server === undefined) throw new Error('the process in bubblewrap sent no listening socket')
  return server
}

/**
 * Like `importListener`, for several ports and any seccomp filter, which is undefined on
 * architectures without one. Resolves to the sockets by their port.
 */
export async function importListeners(
  child: ChildProcess,
  ports: readonly number[],
  filter: Buffer | undefined,
): Promise<ReadonlyMap<number, Server>> {
  const filterPipe = (child.stdio as readonly unknown[])[filterFd] as Writable
  filterPipe.on('error', () => {})
  filterPipe.end(filter)
  const ended = new AbortController()
  child.once('disconnect', () => ended.abort(new Error('the process in bubblewrap sent no listening socket')))
  const listeners = new Map<number, Server>()
  for await (const [port, server] of on(child, 'message', { signal: ended.signal }) as AsyncIterable<unknown[]>) {
    if (!(server instanceof Server))
      throw new Error('the process in bubblewrap sent something other than a listening socket')
    listeners.set(Number(port), server)
    if (listeners.size === ports.length) break
  }
  if (child.connected) child.disconnect()
  return listeners
}
