import { access, constants, open } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Says which user of this machine is at the other end of an IPv4 loopback connection; undefined when nobody is. */
export type FindPeer = (socket: Pick<Socket, 'remotePort' | 'localPort'>) => Promise<number | undefined>

const table = '/proc/net/tcp'

/**
 * After each reading comes a rest of three times its length, at most so many milliseconds. The kernel looks through
 * 262,144 places for a table (5 ms of processor time on a machine of 24 GB), and a page opens dozens of connections.
 */
const restShare = 3
const longestRestMs = 25

interface Question {
  /** What the line of the socket begins with, after its number. */
  readonly ends: string
  readonly answer: PromiseWithResolvers<number | undefined>
}

/** Makes the finder, or undefined where the kernel does not tell. Connections that arrive together share one reading of its table. */
export async function createPeerFinder(path = table): Promise<FindPeer | undefined> {
  const isThere = await access(path, constants.R_OK).then(
    () => true,
    () => false,
  )
  if (!isThere) return undefined
  let waiting: Question[] = []
  let isReading = false
  const read = async (): Promise<void> => {
    isReading = true
    while (waiting.length > 0) {
      const asked = waiting
      // A reading under way may be past the place of a connection that comes now, so that waits for the next one.
      waiting = []
      const startedMs = performance.now()
      try {
        await answerAll(path, asked)
      } catch (error) {
        for (const { answer } of asked) answer.reject(error)
      }
      const restMs = Math.min(longestRestMs, restShare * (performance.now() - startedMs))
      await sleep(restMs, undefined, { ref: false })
    }
    isReading = false
  }
  return async ({ remotePort, localPort }) => {
    if (remotePort === undefined || localPort === undefined) return undefined
    const ends = `: 0100007F:${hex(remotePort)} 0100007F:${hex(localPort)} `
    const answer = Promise.withResolvers<number | undefined>()
    waiting.push({ ends, answer })
    if (!isReading) void read()
    return answer.promise
  }
}

/** Reads the table up to the last socket that is asked for. */
async function answerAll(path: string, asked: readonly Question[]): Promise<void> {
  await using file = await open(path)
  const buffer = Buffer.alloc(pieceBytes)
  let left = asked
  let text = ''
  while (left.length > 0) {
    const { bytesRead } = await file.read(buffer, 0, pieceBytes, null)
    if (bytesRead === 0) break
    text += buffer.toString('latin1', 0, bytesRead)
    const end = text.lastIndexOf('\n') + 1
    const lines = text.slice(0, end)
    text = text.slice(end)
    left = left.filter(({ ends, answer }) => {
      const at = lines.indexOf(ends)
      if (at !== -1) answer.resolve(uidAt(lines, at))
      return at === -1
    })
  }
  for (const { answer } of left) answer.resolve(undefined)
}

/** The kernel gives a page of memory at a time. */
const pieceBytes = 4096

/** The user in the line in which such a place is. */
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
