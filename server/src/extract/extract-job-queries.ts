import { sql, type Kysely, type Selectable } from 'kysely'
import { json, JsonTable, queriedJson, type JsonRow } from '../store/tables/json-table.ts'
import type { Database } from '../store/schema.ts'
import type { ExtractJobTable } from '../store/tables/pages.ts'
import { extracted, type Extracted } from './extracted.ts'
import { storedPlan } from './plan.ts'

const columns = { request: queriedJson(storedPlan), answer: json(extracted) }
const extractJobs = new JsonTable('extract_job', columns)

/** An extract job. */
export type ExtractJobRow = JsonRow<Selectable<ExtractJobTable>, typeof columns>

/** Inserts an extract job. */
export async function insertExtractJob(
  db: Kysely<Database>,
  job: Pick<ExtractJobRow, 'id' | 'teamId' | 'apiKeyId' | 'request'>,
): Promise<void> {
  await db.insertInto('extractJob').values(extractJobs.write(job)).execute()
}

/** Returns the extract job with this id, or `undefined`. */
export async function findExtractJob(db: Kysely<Database>, id: string): Promise<ExtractJobRow | undefined> {
  const row = await db.selectFrom('extractJob').selectAll().where('id', '=', id).executeTakeFirst()
  return row && extractJobs.read(row)
}

/** Result of an extract job: its answer and its price, or its error. */
export type ExtractEnd = { readonly answer: Extracted; readonly credits: number } | { readonly error: string }

/** Who pays for an extract job, and how much. */
export type EndedExtractJob = Pick<ExtractJobRow, 'teamId' | 'apiKeyId'> & { readonly credits: number }

/** Ends an extract job. Returns `undefined` if it has already ended. */
export async function markExtractEnded(
  db: Kysely<Database>,
  id: string,
  end: ExtractEnd,
): Promise<EndedExtractJob | undefined> {
  const credits = 'error' in end ? 0 : end.credits
  const outcome =
    'error' in end ? { status: 'failed' as const, ...end } : extractJobs.write({ status: 'completed' as const, ...end })
  const row = await db
    .updateTable('extractJob')
    .set({ ...outcome, credits, finishedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .where('status', '=', 'processing')
    .returning(['teamId', 'apiKeyId'])
    .executeTakeFirst()
  return row && { ...row, credits }
}

/** Deletes extract jobs that ended before a time. */
export async function deleteOldExtractJobs(db: Kysely<Database>, before: Date): Promise<void> {
  await db
    .deleteFrom('extractJob')
    .where('createdAt', '<', before)
    .where('status', '<>', 'processing')
    .where((eb) => eb(eb.fn.coalesce('finishedAt', 'createdAt'), '<', before))
    .execute()
}
