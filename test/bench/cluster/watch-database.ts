import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { childPids } from '../../lab/browser-processes.ts'
import { processorMsOf } from '../process-time.ts'

/** Load of a database in a period. */
export interface DatabaseLoad {
  /** Processor time of all its processes in milliseconds. */
  readonly processorMs: number
  /** Sum of the times for which statements of pages have waited for locks, in milliseconds. */
  readonly lockMs: number
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
  const startMs = processorMsByPid(mainPid)
  const latestMs = new Map(startMs)
  // Processes that have exited keep their last value.
  const note = (): void => {
    for (const [pid, ms] of processorMsByPid(mainPid)) latestMs.set(pid, ms)
  }
  const watch = async (): Promise<void> => {
    let [lastMs, processorsMs] = [performance.now(), 0]
    while (!ended.signal.aborted) {
      const sample = await client.query<{ waiting: string; connections: string }>(
        // Excludes counting a job, which locks it. Ending a page does not wait for that lock.
        `select count(*) as connections,
          count(*) filter (where wait_event_type = 'Lock' and query not like 'select % for update') as waiting
        from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      )
      const nowMs = performance.now()
      load.lockMs += Number(sample.rows[0]?.waiting ?? 0) * (nowMs - lastMs)
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
      await client.end()
      latestMs.delete(rows[0]?.pid ?? 0)
      const processorMs = [...latestMs].reduce((sum, [pid, ms]) => sum + ms - (startMs.get(pid) ?? 0), 0)
      return { ...load, processorMs }
    },
  }
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
