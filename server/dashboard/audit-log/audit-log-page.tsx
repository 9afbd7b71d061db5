import { auditActions } from 'bowline/contract/audit-actions'
import { useAccount } from '../api/context.ts'
import { filtersOf } from '../frame/filters.ts'
import { LoadMore } from '../frame/load-more.tsx'
import type { Route } from '../frame/route.ts'
import { usePages } from '../frame/use-pages.ts'
import { Badge } from '../components/badge.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { FilterSelect } from '../components/filter-select.tsx'
import { Page } from '../components/page.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { Ago } from '../components/time.tsx'
import { TimeRange } from '../components/time-range.tsx'
import { describeDetails, nameOfCaller, readAuditLog, type AuditEntry } from './audit-log-calls.ts'

/** Changes to keys, teams, profiles, secrets and webhooks, and failed logins. For admin keys. */
export function AuditLogPage({ route }: { readonly route: Route }) {
  const { isAdmin } = useAccount()
  return (
    <Page
      title="Audit log"
      lead={
        isAdmin
          ? 'Changes to keys, teams, profiles, secrets and webhooks of all teams, and failed authentication'
          : 'Reading the audit log requires an admin key.'
      }
    >
      {isAdmin && <AuditLog route={route} />}
    </Page>
  )
}

function AuditLog({ route }: { readonly route: Route }) {
  const { values, set, isFiltered, key } = filtersOf(route, ['action', 'range'])
  const pages = usePages<AuditEntry>(`audit log ${key}`, async (api, cursor, signal) =>
    readAuditLog(api, values, cursor, signal),
  )
  const { rows, apiError, reload } = pages
  return (
    <>
      <div class="filters">
        <FilterSelect
          label="Filter by action"
          all="All actions"
          names={auditActions}
          titleOf={(action) => action}
          chosen={values.action}
          onChoose={(action) => set('action', action)}
        />
        <TimeRange chosen={values.range} onChoose={(range) => set('range', range)} />
      </div>
      <ErrorNote apiError={apiError} onRetry={reload} />
      {rows === undefined && apiError === undefined && <Skeleton />}
      {rows?.length === 0 && <p class="faint">{isFiltered ? 'No entry matches.' : 'No entries yet.'}</p>}
      {rows !== undefined && rows.length > 0 && (
        <DataTable label="Audit log" columns={columns} rows={rows} keyOf={({ id }) => id} />
      )}
      <LoadMore pages={pages} />
    </>
  )
}

const columns: readonly Column<AuditEntry>[] = [
  {
    title: 'Action',
    cell: (entry) => (
      <>
        <Badge>{entry.action}</Badge>
        <small class="narrow">{[entry.team, describeDetails(entry), entry.address].filter(Boolean).join(', ')}</small>
      </>
    ),
  },
  { title: 'Team', isExtra: true, cell: ({ team }) => team ?? <span class="faint">–</span> },
  { title: 'By', cell: (entry) => nameOfCaller(entry) },
  { title: 'Details', isExtra: true, cell: (entry) => <span class="address">{describeDetails(entry)}</span> },
  { title: 'Address', isExtra: true, cell: ({ address }) => address ?? <span class="faint">–</span> },
  { title: 'Time', isNumber: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
]
