import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'

/** Says which user of this machine is at the other end of an IPv4 loopback connection; undefined when nobody is. */
export type FindPeer = (socket: Socket) => Promise<number | undefined>

const table = '/proc/net/tcp'

/** Makes the finder, or undefined where the kernel does not tell. Connections that arrive together share one reading of its table. */
export const createPeerFinder = async (path = table): Promise<FindPeer | undefined> => {
  const isThere = await readFile(path, 'latin1').then(
    () => true,
    () => false,
  )
  if (!isThere) return undefined
  let next: Promise<string> | undefined
  let current: Promise<unknown> = Promise.resolve()
  const readTable = async (): Promise<string> => {
    // A reading under way may have begun before the connection was there, so it waits for the one after it.
    next ??= current.then(async () => {
      next = undefined
      const reading = readFile(path, 'latin1')
      current = reading.catch(() => undefined)
      return reading
    })
    return next
  }
  return async ({ remotePort, localPort }) => {
    if (remotePort === undefined || localPort === undefined) return undefined
    return uidIn(await readTable(), remotePort, localPort)
  }
}

/** Finds the user of the socket on 127.0.0.1 that is bound to `from` and connected to `to`. */
const uidIn = (text: string, from: number, to: number): number | undefined => {
  const at = text.indexOf(`: 0100007F:${hex(from)} 0100007F:${hex(to)} `)
  if (at === -1) return undefined
  const end = text.indexOf('\n', at)
  const fields = text
    .slice(at + 2, end === -1 ? undefined : end)
    .trim()
    .split(/\s+/)
  const uid = Number(fields[6])
  return Number.isSafeInteger(uid) ? uid : undefined
}

const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0')
