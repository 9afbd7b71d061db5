import { existsSync, readFileSync, readlinkSync } from 'node:fs'

/**
 * Returns the bytes that wait in the TCP connections of a process's network. 0 if the server shares
 * that network, or may not see it.
 */
export function queuedBytes(pid: number): number {
  try {
    if (readlinkSync(`/proc/${pid}/ns/net`) === readlinkSync('/proc/self/ns/net')) return 0
    const tables = [`/proc/${pid}/net/tcp`, `/proc/${pid}/net/tcp6`].filter((path) => existsSync(path))
    return tables.reduce((sum, path) => sum + queuesIn(path), 0)
  } catch {
    // The process has ended, or is another user's.
    return 0
  }
}

function queuesIn(path: string): number {
  let bytes = 0
  // The queues for sending and receiving follow the state.
  const queues = / [0-9A-F]{2} ([0-9A-F]{8}):([0-9A-F]{8}) /g
  for (const [, sending = '0', receiving = '0'] of readFileSync(path, 'latin1').matchAll(queues)) {
    bytes += Number.parseInt(sending, 16) + Number.parseInt(receiving, 16)
  }
  return bytes
}
