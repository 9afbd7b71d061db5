import { useState } from 'preact/hooks'
import type { EndReason, SessionSummary } from 'bowline/contract/browser'
import { LoadMore } from '../frame/load-more.tsx'
import { usePages } from '../frame/use-pages.ts'
import { linkTo } from '../frame/route.ts'
import { Badge, Status } from '../components/badge.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { FilterSelect } from '../components/filter-select.tsx'
import { formatDuration } from '../components/format.ts'
import { Ago } from '../components/time.tsx'
import { startOf, TimeRange } from '../components/time-range.tsx'
import { useSettled } from '../components/use-settled.ts'
import { listEnded } from './session-calls.ts'

/** The contract's list has a schema, which the page does not load. */
const reasons: readonly EndReason[] = ['deleted', 'ttl', 'idle', 'crashed', 'drained', 'lost', 'revoked']

const columns: readonly Column<SessionSummary>[] = [
  {
    title: 'Session',
    cell: ({ id, name }) => (
      <a href={linkTo(['sessions', id])} title={id}>
        {name ?? <code>{id.slice(0, 13)}…</code>}
      </a>
    ),
  },
  { title: 'Ended', cell: ({ endedAt }) => <Ago time={endedAt} /> },
  {
    title: 'Reason',
    cell: ({ endReason, status }) =>
      endReason === undefined ? <Status status={status} /> : <Badge tone={toneOf(endReason)}>{endReason}</Badge>,
  },
  { title: 'Profile', isExtra: true, cell: ({ profile }) => profile?.name ?? <span class="faint">–</span> },
  {
    title: 'Duration',
    isNumber: true,
    cell: ({ sessionDurationMs }) => (sessionDurationMs === undefined ? '–' : formatDuration(sessionDurationMs)),
  },
  { title: 'Credits', isNumber: true, cell: ({ creditsBilled }) => creditsBilled ?? '–' },
]

/** Colour of an end reason. */
export function toneOf(reason: string) {
  return reason === 'crashed' || reason === 'lost' ? 'bad' : 'plain'
}

/** Ended sessions, newest first, page by page. */
export function EndedSessions({ text }: { readonly text: string }) {
  const search = useSettled(text.trim())
  const [reason, setReason] = useState('')
  const [range, setRange] = useState('')
  const pages = usePages<SessionSummary>(`ended ${reason} ${range} ${search}`, async (api, cursor, signal) =>
    listEnded(api, { reason, search, from: startOf(range), cursor }, signal),
  )
  const { rows, apiError, reload } = pages
  const isFiltered = reason !== '' || range !== '' || search !== ''
  if (rows?.length === 0 && !isFiltered) return null
  return (
    <section class="block">
      <div class="block-head">
        <h2>Ended</h2>
        <FilterSelect label="Filter by reason" all="All reasons" names={reasons} chosen={reason} onChoose={setReason} />
        <TimeRange chosen={range} onChoose={setRange} />
      </div>
      <ErrorNote apiError={apiError} onRetry={reload} />
      {rows?.length === 0 && <p class="faint">No ended session matches.</p>}
      {rows !== undefined && rows.length > 0 && (
        <DataTable label="Ended sessions" columns={columns} rows={rows} keyOf={({ id }) => id} />
      )}
      <LoadMore pages={pages} />
    </section>
  )
}
