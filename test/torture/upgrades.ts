import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { connectPostgres } from '../../server/src/store/open-postgres.ts'
import { tableNames } from '../../server/src/store/table-names.ts'
import { actorRandom } from './actor-random.ts'
import type { Faults } from './faults/faults.ts'
import type { Fleet } from './fleet.ts'

/** Replacements of servers in place of faults. */
export interface Upgrades extends Faults {
  /** How servers have exited that were not stopped in order. */
  readonly failures: readonly string[]
}

/**
 * Replaces the servers one after the other, as a rolling upgrade does. Before the first one, a new
 * column is added to every table, as a migration of the new version does: the servers that are not
 * replaced yet continue with it. Stopping waits until each server was replaced.
 */
export function startUpgrades(
  seed: number,
  { fleet, log }: { readonly fleet: Fleet; readonly log: (line: string) => void },
): Upgrades {
  const random = actorRandom(seed, 'upgrades')
  const stopped = new AbortController()
  const counts = new Map<string, number>()
  const failures: string[] = []
  const upgrade = async (): Promise<void> => {
    if (fleet.database !== undefined) {
      await addColumns(fleet.database.url)
      counts.set('add a column to a table', tableNames.length)
    }
    do {
      for (const member of fleet.members) {
        await sleep(random.whole(500, 3000), undefined, { signal: stopped.signal }).catch(() => undefined)
        log(`replace ${member.name}`)
        const code = await member.restart('SIGTERM', 0)
        if (code !== 0) failures.push(`${member.name} exited with ${code} when it was replaced`)
        counts.set('replace a server', (counts.get('replace a server') ?? 0) + 1)
      }
    } while (!stopped.signal.aborted)
  }
  const running = upgrade()
  // `stop` throws the error, after which the caller can clean up.
  running.catch(() => undefined)
  return {
    counts,
    failures,
    stop: async () => {
      stopped.abort()
      await running
    },
  }
}

async function addColumns(databaseUrl: string): Promise<void> {
  await using postgres = await connectPostgres({ databaseUrl, log: undefined })
  for (const table of tableNames)
    await sql`alter table ${sql.ref(table)} add column of_a_later_version text`.execute(postgres.db)
}
