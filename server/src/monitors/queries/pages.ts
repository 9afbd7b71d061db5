import { sql, type Kysely, type Selectable } from 'kysely'
import { z } from 'zod'
import { judgment, pageDiff, type CheckSummary, type PageStatus } from 'bowline/contract/monitor-checks'
import type { CheckLease } from './checks.ts'
import { json, jsonb, JsonTable, type JsonRow, type OnUnreadable } from '../../store/tables/json-table.ts'
import type { MonitorPageTable, MonitorStateTable } from '../../store/tables/monitors.ts'
import type { Database } from '../../store/schema.ts'

const pageColumns = {
  judgment: jsonb(judgment),
  diff: json(pageDiff),
  snapshot: json(z.object({ json: z.unknown() })),
}
const monitorPages = new JsonTable('monitor_page', pageColumns)

const stateColumns = { extracted: json(z.unknown()) }
const states = new JsonTable('monitor_state', stateColumns, ['monitorId', 'targetId', 'url'])

/** Result of a page in a check. */
export type PageRow = JsonRow<Selectable<MonitorPageTable>, typeof pageColumns>

/** Last known state of a page. */
export type ViewerPageState = JsonRow<Selectable<MonitorStateTable>, typeof stateColumns>

/**
 * Inserts the result of a page and saves `state` as its last known state. Without one, its state
 * is kept and counts as checked now. Call it in a transaction. Returns `false` if the lease was
 * lost or the page was already recorded.
 */
export async function recordPage(
  db: Kysely<Database>,
  lease: CheckLease,
  page: Omit<PageRow, 'createdAt'>,
  state: Omit<ViewerPageState, 'checkedAt'> | undefined,
): Promise<boolean> {
  // Locks the check until the transaction ends, so that no other server can take its lease in
  // between.
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
    .values(nulled(monitorPages.write(page)))
    .onConflict((conflict) => conflict.columns(['checkId', 'targetId', 'urlHash']).doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) return false
  if (state !== undefined) await saveState(db, state)
  else await touchState(db, { checkId: lease.id, page })
  return true
}

function nulled<Fields extends object>(
  row: Fields,
): { [Key in keyof Fields]: undefined extends Fields[Key] ? Exclude<Fields[Key], undefined> | null : Fields[Key] } {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? null])) as never
}

async function saveState(db: Kysely<Database>, state: Omit<ViewerPageState, 'checkedAt'>): Promise<void> {
  const { markdown, isGone } = state
  const row = nulled(states.write(state))
  const fresh = {
    markdown,
    isGone,
    extracted: row.extracted,
    scrapeId: state.scrapeId ?? null,
    checkedAt: sql<Date>`now()`,
  }
  await db
    .insertInto('monitorState')
    .values({ ...row, ...fresh })
    .onConflict((conflict) => conflict.columns(['monitorId', 'targetId', 'urlHash']).doUpdateSet(fresh))
    .execute()
}

/** Records that a page was checked although its state has not changed, so that it is kept. */
async function touchState(
  db: Kysely<Database>,
  { checkId, page }: { readonly checkId: string; readonly page: Pick<PageRow, 'targetId' | 'urlHash'> },
): Promise<void> {
  await db
    .updateTable('monitorState')
    .set({ checkedAt: sql<Date>`now()` })
    .where('monitorId', '=', (eb) => eb.selectFrom('monitorCheck').select('monitorId').where('id', '=', checkId))
    .where('targetId', '=', page.targetId)
    .where('urlHash', '=', page.urlHash)
    .execute()
}

/** Returns the last known state of a page, or `undefined`. */
export async function findState(
  db: Kysely<Database>,
  page: Pick<ViewerPageState, 'monitorId' | 'targetId' | 'urlHash'>,
): Promise<ViewerPageState | undefined> {
  const row = await db
    .selectFrom('monitorState')
    .selectAll()
    .where('monitorId', '=', page.monitorId)
    .where('targetId', '=', page.targetId)
    .where('urlHash', '=', page.urlHash)
    .executeTakeFirst()
  return row && states.read(row)
}

/** Deletes the last known states of all pages of targets, so that their next check is the first. */
export async function deleteStates(
  db: Kysely<Database>,
  { monitorId, targetIds }: { readonly monitorId: string; readonly targetIds: readonly string[] },
): Promise<void> {
  if (targetIds.length === 0) return
  await db
    .deleteFrom('monitorState')
    .where('monitorId', '=', monitorId)
    .where('targetId', 'in', [...targetIds])
    .execute()
}

/** Returns the URLs of a target's pages that existed at their last check, in alphabetical order. */
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

/** Returns the URL hashes of a target's pages that a check has recorded so far. */
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

/** Filter of `listPages`. */
export interface PageFilter {
  readonly checkId: string
  readonly limit: number
  readonly skip: number
  readonly statuses?: readonly PageStatus[] | undefined
}

/**
 * Lists the pages of a check in the order they were recorded. Leaves out those that cannot be
 * read.
 */
export async function listPages(
  db: Kysely<Database>,
  filter: PageFilter,
  onUnreadable: OnUnreadable,
): Promise<{ readonly pages: readonly PageRow[]; readonly hasMore: boolean }> {
  let query = db.selectFrom('monitorPage').selectAll().where('checkId', '=', filter.checkId)
  if (filter.statuses !== undefined) query = query.where('status', 'in', [...filter.statuses])
  const { limit, skip } = filter
  const rows = await query
    .orderBy('id')
    .limit(limit + 1)
    .offset(skip)
    .execute()
  return { pages: monitorPages.readAll(rows.slice(0, limit), onUnreadable), hasMore: rows.length > limit }
}

/** Counts the pages of a check by status and sums up their credits. */
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
