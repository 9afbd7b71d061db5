import { access, constants, open } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Finds the user at the other end of an IPv4 loopback connection. Undefined if there is none. */
export type FindOwner = (socket: Pick<Socket, 'remotePort' | 'localPort'>) => Promise<number | undefined>

const table = '/proc/net/tcp'

/**
 * After each read, the reader pauses for three times the read's duration, up to 25 ms. The kernel
 * scans 262,144 slots per read (5 ms of CPU time on a machine with 24 GB), and a page opens dozens
 * of connections.
 */
const pauseFactor = 3
const maxPauseMs = 25

interface Lookup {
  /**
   * The local and remote address as the socket's line in the table begins with, after its number.
   */
  readonly addresses: string
  readonly uid: PromiseWithResolvers<number | undefined>
}

/**
 * Creates the lookup, or returns undefined where `/proc/net/tcp` is not readable. Lookups made at
 * the same time share one read of the table.
 */
export async function createOwnerFinder(path = table): Promise<FindOwner | undefined> {
  const isReadable = await access(path, constants.R_OK).then(
    () => true,
    () => false,
  )
  if (!isReadable) return undefined
  let pending: Lookup[] = []
  let isReading = false
  const read = async (): Promise<void> => {
    isReading = true
    while (pending.length > 0) {
      const lookups = pending
      // A read in progress may already be past the line of a new connection, which waits for the
      // next read.
      pending = []
      const startedMs = performance.now()
      try {
        await resolveAll(path, lookups)
      } catch (error) {
        for (const { uid } of lookups) uid.reject(error)
      }
      const pauseMs = Math.min(maxPauseMs, pauseFactor * (performance.now() - startedMs))
      await sleep(pauseMs, undefined, { ref: false })
    }
    isReading = false
  }
  return async ({ remotePort, localPort }) => {
    if (remotePort === undefined || localPort === undefined) return undefined
    const addresses = `: 0100007F:${hex(remotePort)} 0100007F:${hex(localPort)} `
    const uid = Promise.withResolvers<number | undefined>()
    pending.push({ addresses, uid })
    if (!isReading) void read()
    return uid.promise
  }
}

/** Reads the table until all lookups are found or it ends. */
async function resolveAll(path: string, lookups: readonly Lookup[]): Promise<void> {
  await using file = await open(path)
  const buffer = Buffer.alloc(readBytes)
  let left = lookups
  let text = ''
  while (left.length > 0) {
    const { bytesRead } = await file.read(buffer, 0, readBytes, null)
    if (bytesRead === 0) break
    text += buffer.toString('latin1', 0, bytesRead)
    const end = text.lastIndexOf('\n') + 1
    const lines = text.slice(0, end)
    text = text.slice(end)
    left = left.filter(({ addresses, uid }) => {
      const at = lines.indexOf(addresses)
      if (at !== -1) uid.resolve(uidAt(lines, at))
      return at === -1
    })
  }
  for (const { uid } of left) uid.resolve(undefined)
}

/** The kernel returns one memory page per read. */
const readBytes = 4096

/** The uid in the line that contains the position `at`. */
function uidAt(lines: string, at: number): number | undefined {
  const fields = lines
    .slice(at + 2, lines.indexOf('\n', at))
    .trim()
    .split(/\s+/)
  const uid = Number(fields[6])
  return Number.isSafeInteger(uid) ? uid : undefined
}

function hex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0')
}
