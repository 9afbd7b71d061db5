import type { SessionSummary } from 'bowline/contract/browser'
import { linkTo } from '../frame/route.ts'
import { Badge, Status } from '../components/badge.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { formatDuration } from '../components/format.ts'
import { Ago } from '../components/time.tsx'
import { matches } from './session-calls.ts'

/** Maximum number of listed sessions. */
const maxShown = 20

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

/** Ended sessions, latest end first. */
export function EndedSessions({
  sessions,
  filterText,
}: {
  readonly sessions: readonly SessionSummary[]
  readonly filterText: string
}) {
  const rows = sessions.filter((session) => matches(session, filterText))
  if (rows.length === 0) return null
  return (
    <section class="block">
      <h2>Ended</h2>
      <DataTable label="Ended sessions" columns={columns} rows={rows.slice(0, maxShown)} keyOf={({ id }) => id} />
      {rows.length > maxShown && (
        <p class="faint">
          Showing {maxShown} of {rows.length}.
        </p>
      )}
    </section>
  )
}
