import { sql, type Kysely, type Selectable } from 'kysely'
import type { CheckSummary, PageStatus } from 'bowline/contract/monitor-checks'
import type { CheckLease } from './monitor-checks.ts'
import { toRecord, type Recorded } from './record.ts'
import type { MonitorPageTable, MonitorStateTable } from './tables/monitors.ts'
import type { Database } from './schema.ts'

/** What a check found of a page. */
export type PageRow = Recorded<Selectable<MonitorPageTable>>

/** The last state of a page. */
export type PageState = Recorded<Selectable<MonitorStateTable>>

/** Enters what a check found of a page and makes `state` its last state. False: the lease was lost, or the page was entered before. To be called in a transaction. */
export async function recordPage(
  db: Kysely<Database>,
  lease: CheckLease,
  page: Omit<PageRow, 'createdAt'>,
  state: Omit<PageState, 'checkedAt'> | undefined,
): Promise<boolean> {
  // The row of the check stays locked until the transaction ends: nobody else can take its lease meanwhile.
  const held = await db
    .selectFrom('monitorCheck')
    .select('id')
    .where('id', '=', lease.id)
    .where('fence', '=', lease.fence)
    .where('status', '=', 'running')
    .forUpdate()
    .executeTakeFirst()
  if (held === undefined) return false
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('monitorPage')
    .values(nulled(page))
    .onConflict((conflict) => conflict.columns(['checkId', 'targetId', 'urlHash']).doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) return false
  if (state !== undefined) await saveState(db, state)
  return true
}

function nulled<Row extends object>(
  row: Row,
): { [Key in keyof Row]: undefined extends Row[Key] ? Exclude<Row[Key], undefined> | null : Row[Key] } {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? null])) as never
}

async function saveState(db: Kysely<Database>, state: Omit<PageState, 'checkedAt'>): Promise<void> {
  const { markdown, isGone } = state
  const fresh = {
    markdown,
    isGone,
    extracted: state.extracted ?? null,
    scrapeId: state.scrapeId ?? null,
    checkedAt: sql<Date>`now()`,
  }
  await db
    .insertInto('monitorState')
    .values({ ...nulled(state), ...fresh })
    .onConflict((conflict) => conflict.columns(['monitorId', 'targetId', 'urlHash']).doUpdateSet(fresh))
    .execute()
}

/** The last state of a page, or undefined. */
export async function findState(
  db: Kysely<Database>,
  page: Pick<PageState, 'monitorId' | 'targetId' | 'urlHash'>,
): Promise<PageState | undefined> {
  const row = await db
    .selectFrom('monitorState')
    .selectAll()
    .where('monitorId', '=', page.monitorId)
    .where('targetId', '=', page.targetId)
    .where('urlHash', '=', page.urlHash)
    .executeTakeFirst()
  return row && toRecord(row)
}

/** Addresses of the pages of a target that were there at their last check, oldest first. */
export async function listKnownUrls(
  db: Kysely<Database>,
  target: { readonly monitorId: string; readonly targetId: string },
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('monitorState')
    .select('url')
    .where('monitorId', '=', target.monitorId)
    .where('targetId', '=', target.targetId)
    .where('isGone', '=', false)
    .orderBy('url')
    .execute()
  return rows.map(({ url }) => url)
}

/** Which pages of a target a check has entered so far, by the hashes of their addresses. */
export async function listDonePages(
  db: Kysely<Database>,
  { checkId, targetId }: { readonly checkId: string; readonly targetId: string },
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('monitorPage')
    .select('urlHash')
    .where('checkId', '=', checkId)
    .where('targetId', '=', targetId)
    .execute()
  return new Set(rows.map(({ urlHash }) => urlHash))
}

/** Which pages of a check. */
export interface PageFilter {
  readonly checkId: string
  readonly limit: number
  readonly skip: number
  readonly statuses?: readonly PageStatus[] | undefined
}

/** The pages of a check in the order they were done. */
export async function listPages(db: Kysely<Database>, filter: PageFilter): Promise<readonly PageRow[]> {
  let query = db.selectFrom('monitorPage').selectAll().where('checkId', '=', filter.checkId)
  if (filter.statuses !== undefined) query = query.where('status', 'in', [...filter.statuses])
  const rows = await query.orderBy('id').limit(filter.limit).offset(filter.skip).execute()
  return rows.map(toRecord)
}

/** How many pages of a check are in each state, and what they cost together. */
export async function summarizePages(
  db: Kysely<Database>,
  checkId: string,
): Promise<{ readonly summary: CheckSummary; readonly credits: number }> {
  const rows = await db
    .selectFrom('monitorPage')
    .select(['status', sql<number>`count(*)::integer`.as('pages'), sql<number>`sum(credits)::integer`.as('credits')])
    .where('checkId', '=', checkId)
    .groupBy('status')
    .execute()
  const summary = { totalPages: 0, same: 0, changed: 0, new: 0, removed: 0, error: 0 }
  let credits = 0
  for (const row of rows) {
    summary[row.status] += row.pages
    summary.totalPages += row.pages
    credits += row.credits
  }
  return { summary, credits }
}
