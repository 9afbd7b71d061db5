import { useEffect, useState } from 'preact/hooks'
import type { Check, Monitor } from 'bowline/contract/monitor-checks'
import { LoadMore } from '../frame/load-more.tsx'
import { linkTo } from '../frame/route.ts'
import { usePages } from '../frame/use-pages.ts'
import { Status } from '../components/badge.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { FilterSelect } from '../components/filter-select.tsx'
import { countOf } from '../components/format.ts'
import { Ago } from '../components/time.tsx'
import { TimeRange } from '../components/time-range.tsx'
import { checkStatuses, listChecks } from './monitor-calls.ts'
import { SummaryBadges } from './summary-badges.tsx'

/** The checks of a monitor, newest first, page by page. */
export function MonitorChecks({ monitor: { id, currentCheckId, lastRunAt } }: { readonly monitor: Monitor }) {
  const [status, setStatus] = useState('')
  const [range, setRange] = useState('')
  const pages = usePages<Check>(`checks ${id} ${status} ${range}`, async (api, cursor, signal) =>
    listChecks(api, { id, status, range, cursor }, signal),
  )
  const { rows, apiError, reload } = pages
  useEffect(reload, [currentCheckId, lastRunAt])
  const isFiltered = status !== '' || range !== ''
  return (
    <section class="block">
      <div class="block-head">
        <h2>Checks</h2>
        <FilterSelect
          label="Filter by status"
          all="Any status"
          names={checkStatuses}
          chosen={status}
          onChoose={setStatus}
        />
        <TimeRange chosen={range} onChoose={setRange} />
      </div>
      <ErrorNote apiError={apiError} onRetry={reload} />
      {rows?.length === 0 && (
        <p class="faint">
          {isFiltered ? 'No check matches.' : 'No checks yet. Later checks are compared with the first one.'}
        </p>
      )}
      {rows !== undefined && rows.length > 0 && (
        <DataTable label="Checks" columns={columns} rows={rows} keyOf={(check) => check.id} />
      )}
      <LoadMore pages={pages} />
    </section>
  )
}

const columns: readonly Column<Check>[] = [
  {
    title: 'Check',
    cell: ({ id, monitorId, startedAt, createdAt, trigger, actualCredits }) => (
      <>
        <a href={linkTo(['monitors', monitorId, id])}>
          <Ago time={startedAt ?? createdAt} />
        </a>
        <small class="narrow">
          {trigger}
          {actualCredits !== null && `, ${countOf(actualCredits, 'credit')}`}
        </small>
      </>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Status status={status} /> },
  { title: 'Pages', cell: ({ summary }) => <SummaryBadges summary={summary} /> },
  { title: 'Trigger', isExtra: true, cell: ({ trigger }) => trigger },
  { title: 'Credits', isNumber: true, isExtra: true, cell: ({ actualCredits }) => actualCredits ?? '–' },
]
