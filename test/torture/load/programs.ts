import { setTimeout as sleep } from 'node:timers/promises'
import { startProgram, type Program } from '../../client/program.ts'
import type { Random } from '../../lab/random.ts'
import type { Fleet } from '../fleet.ts'
import type { ProgramEvent } from './client-program.ts'
import type { SessionRecord } from './records.ts'

/** A client program with a driver, which can be killed. */
export interface ClientProgram {
  readonly driver: string
  readonly signal: (signal: NodeJS.Signals) => void
  /** Kills it and starts it again after some milliseconds. */
  readonly restart: (waitMs: number) => Promise<void>
  /** Resolves when it has ended its session and exited. */
  readonly stop: () => Promise<void>
  readonly sessions: () => readonly SessionRecord[]
  /** Number of sessions whose page it has read. */
  readonly driven: () => number
}

/** Milliseconds in which a program must exit. */
const exitMs = 60_000

/** Starts a program that drives sessions of the servers. */
export function startClientProgram(
  { members, apiKey, sessionDir }: Fleet,
  {
    driver,
    url,
    pauseMs,
    random,
  }: { readonly driver: string; readonly url: string; readonly pauseMs: number; readonly random: Random },
): ClientProgram {
  const events: ProgramEvent[] = []
  let reported = 0
  const start = (): Program => {
    reported = 0
    const { url: baseUrl } = random.pick(members)
    const args = [driver, sessionDir, url, String(pauseMs)]
    const env = { BOWLINE_BASE_URL: baseUrl, BOWLINE_API_KEY: apiKey }
    return startProgram('test/torture/load/client-program.ts', args, env)
  }
  let program = start()
  const collect = (): void => {
    events.push(...program.lines.slice(reported).map((line) => JSON.parse(line) as ProgramEvent))
    reported = program.lines.length
  }
  return {
    driver,
    signal: (signal) => program.child.kill(signal),
    restart: async (waitMs) => {
      program.child.kill('SIGKILL')
      await program.ended
      collect()
      await sleep(waitMs)
      program = start()
    },
    stop: async () => {
      program.child.kill('SIGCONT')
      program.child.kill('SIGTERM')
      const timer = setTimeout(() => program.child.kill('SIGKILL'), exitMs)
      await program.ended
      clearTimeout(timer)
      collect()
    },
    sessions: () => sessionsOf(events),
    driven: () => events.filter(({ event }) => event === 'driven').length,
  }
}

function sessionsOf(events: readonly ProgramEvent[]): readonly SessionRecord[] {
  const ends = new Map(events.flatMap((each) => (each.event === 'ended' ? [[each.id, each.deletedAtMs] as const] : [])))
  return events.flatMap((each): SessionRecord[] => {
    if (each.event !== 'received') return []
    const { id, requestedAtMs, receivedAtMs } = each
    const deletedAtMs = ends.get(id)
    return [{ id, requestedAtMs, receivedAtMs, ...(deletedAtMs !== undefined && { deletedAtMs }) }]
  })
}
