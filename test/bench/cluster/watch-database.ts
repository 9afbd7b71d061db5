import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { childPids } from '../../lab/browser-processes.ts'
import { processorMsOf } from '../process-time.ts'

/** Load of a database in a period. */
export interface DatabaseLoad {
  /** Processor time of all its processes in milliseconds. */
  readonly processorMs: number
  /** Number of transactions that were committed. Most have one statement. */
  readonly commits: number
  /** Sum of the times for which statements have waited for locks, in milliseconds. */
  readonly lockMs: number
  /** Statement that has waited for locks the longest. Undefined: none has. */
  readonly blockedStatement: string | undefined
  /** Most connections at a time. */
  readonly connections: number
}

/** Intervals of the samples in milliseconds. */
const sampleMs = { locks: 20, processors: 500 } as const

/** Measures a database until `stop` is called. `mainPid` is the main process of PostgreSQL. */
export async function watchDatabase(
  databaseUrl: string,
  mainPid: number,
): Promise<{ readonly stop: () => Promise<DatabaseLoad> }> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const ended = new AbortController()
  const load = { lockMs: 0, connections: 0 }
  const waitsMs = new Map<string, number>()
  const firstCommits = await countCommits(client)
  const startMs = processorMsByPid(mainPid)
  const latestMs = new Map(startMs)
  // Processes that have exited keep their last value.
  const note = (): void => {
    for (const [pid, ms] of processorMsByPid(mainPid)) latestMs.set(pid, ms)
  }
  const watch = async (): Promise<void> => {
    let [lastMs, processorsMs] = [performance.now(), 0]
    while (!ended.signal.aborted) {
      const sample = await client.query<{ connections: string; blocked: readonly string[] | null }>(
        // Excludes counting a job, which locks it. Ending a page does not wait for that lock.
        `select count(*) as connections, array_agg(query)
          filter (where wait_event_type = 'Lock' and query not like 'select % for update') as blocked
        from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      )
      const nowMs = performance.now()
      for (const statement of sample.rows[0]?.blocked ?? []) {
        load.lockMs += nowMs - lastMs
        waitsMs.set(statement, (waitsMs.get(statement) ?? 0) + nowMs - lastMs)
      }
      load.connections = Math.max(load.connections, Number(sample.rows[0]?.connections ?? 0))
      lastMs = nowMs
      if (nowMs - processorsMs >= sampleMs.processors) {
        processorsMs = nowMs
        note()
      }
      await sleep(sampleMs.locks)
    }
    note()
  }
  const watched = watch()
  return {
    stop: async () => {
      ended.abort()
      await watched
      const commits = (await countCommits(client)) - firstCommits
      await client.end()
      latestMs.delete(rows[0]?.pid ?? 0)
      const processorMs = [...latestMs].reduce((sum, [pid, ms]) => sum + ms - (startMs.get(pid) ?? 0), 0)
      const [blocked] = [...waitsMs].toSorted(([, left], [, right]) => right - left)
      return { ...load, commits, blockedStatement: blocked?.[0], processorMs }
    },
  }
}

async function countCommits(client: Client): Promise<number> {
  const { rows } = await client.query<{ commits: string }>(
    'select xact_commit as commits from pg_stat_database where datname = current_database()',
  )
  return Number(rows[0]?.commits ?? 0)
}

function processorMsByPid(mainPid: number): ReadonlyMap<number, number> {
  return new Map(
    [mainPid, ...childPids(mainPid)].flatMap((pid) => {
      try {
        return [[pid, processorMsOf(pid)] as const]
      } catch {
        // It has just exited.
        return []
      }
    }),
  )
}
