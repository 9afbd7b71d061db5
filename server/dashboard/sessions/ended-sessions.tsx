import type { SessionSummary } from 'bowline/contract/browser'
import { titleOfStatus } from 'bowline/contract/titles'
import { useAccount } from '../api/context.ts'
import type { Filters } from '../frame/filters.ts'
import { LoadMore } from '../frame/load-more.tsx'
import { useLoaded } from '../frame/use-loaded.ts'
import { usePages } from '../frame/use-pages.ts'
import { linkTo } from '../frame/route.ts'
import { Status } from '../components/badge.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { FilterSelect } from '../components/filter-select.tsx'
import { formatDuration } from '../components/format.ts'
import { Ago } from '../components/time.tsx'
import { TimeRange } from '../components/time-range.tsx'
import { spanOf } from '../components/time-span.ts'
import { endReasons, ReasonBadge, titleOfReason } from './end-reason.tsx'
import { listEnded } from './session-calls.ts'
import { SessionTags } from './session-tags.tsx'

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
      endReason === undefined ? <Status status={titleOfStatus(status)} /> : <ReasonBadge reason={endReason} />,
  },
  { title: 'Profile', isExtra: true, cell: ({ profile }) => profile?.name ?? <span class="faint">–</span> },
  { title: 'Metadata', isExtra: true, cell: ({ metadata }) => <SessionTags metadata={metadata} /> },
  {
    title: 'Duration',
    isNumber: true,
    isExtra: true,
    cell: ({ sessionDurationMs }) => (sessionDurationMs === undefined ? '–' : formatDuration(sessionDurationMs)),
  },
  { title: 'Credits', isNumber: true, cell: ({ creditsBilled }) => creditsBilled ?? '–' },
]

/** The names of the team's API keys, with revoked ones, by id. Empty until they are loaded. */
function useKeys(): ReadonlyMap<string, string> {
  const { team } = useAccount()
  const { value } = useLoaded('keys', async (api, signal) => api.call('listKeys', {}, signal))
  return new Map(value?.data.filter((key) => key.team === team).map(({ id, name }) => [id, name]))
}

/** The names of the team's profiles, with the chosen one, which may have been deleted. */
function useProfiles(chosen: string): readonly string[] {
  const { value } = useLoaded('profiles', async (api, signal) => api.call('listProfiles', {}, signal))
  const names = new Set(value?.data.map(({ name }) => name))
  if (chosen !== '') names.add(chosen)
  return [...names].toSorted()
}

/** Names of the filters. */
export const endedFilters = ['reason', 'profile', 'key', 'range', 'search'] as const

/** Ended sessions, newest first, page by page. */
export function EndedSessions({ filters }: { readonly filters: Filters<(typeof endedFilters)[number]> }) {
  const { values, set, isFiltered } = filters
  const { reason, profile, key, range, search } = values
  const keys = useKeys()
  const profiles = useProfiles(profile)
  const pages = usePages<SessionSummary>(`ended ${filters.key}`, async (api, cursor, signal) =>
    listEnded(api, { reason, profile, key, search, span: spanOf(range), cursor }, signal),
  )
  const { rows, apiError, reload } = pages
  if (rows?.length === 0 && !isFiltered) return null
  return (
    <section class="block">
      <div class="block-head">
        <h2>Ended</h2>
        <FilterSelect
          label="Filter by reason"
          all="All reasons"
          names={endReasons}
          titleOf={titleOfReason}
          chosen={reason}
          onChoose={(name) => set('reason', name)}
        />
        {profiles.length > 0 && (
          <FilterSelect
            label="Filter by profile"
            all="All profiles"
            names={profiles}
            titleOf={(name) => name}
            chosen={profile}
            onChoose={(name) => set('profile', name)}
          />
        )}
        {keys.size > 1 && (
          <FilterSelect
            label="Filter by API key"
            all="All keys"
            names={[...keys.keys()]}
            titleOf={(id) => keys.get(id) ?? id}
            chosen={key}
            onChoose={(id) => set('key', id)}
          />
        )}
        <TimeRange chosen={range} onChoose={(name) => set('range', name)} />
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
