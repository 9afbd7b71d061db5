import type { Delivery } from 'bowline/contract/webhooks'
import { CsvButton } from '../frame/csv-button.tsx'
import { LoadMore } from '../frame/load-more.tsx'
import { linkTo, type Route } from '../frame/route.ts'
import { filtersOf } from '../frame/filters.ts'
import { usePages } from '../frame/use-pages.ts'
import { Badge, Status } from '../components/badge.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { Empty } from '../components/empty.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { FilterSelect } from '../components/filter-select.tsx'
import { countOf } from '../components/format.ts'
import { Page } from '../components/page.tsx'
import { SearchField } from '../components/search-field.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { Ago } from '../components/time.tsx'
import { TimeRange } from '../components/time-range.tsx'
import { countStatuses, groupDeliveries, type DeliveryGroup } from './group-deliveries.ts'
import { deliveryStates, lastResponse, listDeliveries, readDeliveryRows, subjectOf } from './webhook-calls.ts'

/** Webhook deliveries of the team's sessions, jobs and monitors, by job or each of one job. */
export function WebhooksPage({ route }: { readonly route: Route }) {
  const { values, set, isFiltered, key } = filtersOf(route, ['job', 'status', 'search', 'range'])
  const pages = usePages<Delivery>(`deliveries ${key}`, async (api, cursor, signal) =>
    listDeliveries(api, values, cursor, signal),
  )
  const { rows, apiError, reload } = pages
  return (
    <Page title="Webhooks" lead="Deliveries of the last seven days">
      <div class="filters">
        <SearchField
          label="Search deliveries"
          placeholder="URL, event or id"
          value={values.search}
          onSearch={(text) => set('search', text)}
        />
        <FilterSelect
          label="Filter by status"
          all="Any status"
          names={deliveryStates}
          chosen={values.status}
          onChoose={(status) => set('status', status)}
        />
        <TimeRange
          names={['Last hour', 'Last 6 hours', 'Last 24 hours']}
          all="Last 7 days"
          chosen={values.range}
          onChoose={(range) => set('range', range)}
        />
        <CsvButton name="deliveries" readRows={async (api) => readDeliveryRows(api, values)} />
        {values.job !== '' && (
          <button type="button" class="button" onClick={() => set('job', '')}>
            Show all jobs
          </button>
        )}
      </div>
      <ErrorNote apiError={apiError} onRetry={reload} />
      {rows === undefined && apiError === undefined && <Skeleton />}
      {rows?.length === 0 && isFiltered && <p class="faint">No delivery matches.</p>}
      {rows?.length === 0 && !isFiltered && (
        <Empty icon="hook" title="No deliveries yet">
          <p>Events that sessions, batches, crawls, extractions and monitors send to their webhooks appear here.</p>
        </Empty>
      )}
      {rows !== undefined && rows.length > 0 && (
        <DataTable
          label="Deliveries"
          columns={columns}
          rows={values.job === '' ? groupDeliveries(rows) : rows.map(toGroup)}
          keyOf={({ id }) => id}
        />
      )}
      <LoadMore pages={pages} />
    </Page>
  )
}

function toGroup(delivery: Delivery): DeliveryGroup {
  return { id: delivery.id, newest: delivery, deliveries: [delivery] }
}

const columns: readonly Column<DeliveryGroup>[] = [
  { title: 'Event', cell: (group) => <EventCell group={group} /> },
  {
    title: 'Status',
    cell: ({ newest, deliveries }) =>
      deliveries.length === 1 ? <Status status={newest.status} /> : <StatusCounts deliveries={deliveries} />,
  },
  { title: 'Last response', isExtra: true, cell: ({ newest }) => lastResponse(newest) || '–' },
  {
    title: 'Attempts',
    isNumber: true,
    isExtra: true,
    cell: ({ deliveries }) => deliveries.reduce((sum, { attempts }) => sum + attempts.length, 0),
  },
  { title: 'Created', isNumber: true, cell: ({ newest }) => <Ago time={newest.createdAt} /> },
]

function EventCell({ group: { newest, deliveries } }: { readonly group: DeliveryGroup }) {
  const { id, event, jobId, url } = newest
  // Breaks long names between their words, so that all columns fit on a phone.
  const words = event.split(/(?<=[._])/).flatMap((word) => [<wbr key={word} />, word])
  const link = deliveries.length === 1 ? linkTo(['webhooks', id]) : linkTo(['webhooks'], { job: jobId })
  return (
    <div class="two-lines">
      <a href={link}>{words}</a>
      {deliveries.length > 1 && (
        <small>
          {countOf(deliveries.length, 'delivery', 'deliveries')} of this {subjectOf(newest)}
        </small>
      )}
      <small class="target">{url}</small>
      {newest.status !== 'delivered' && <small class="narrow">{lastResponse(newest)}</small>}
    </div>
  )
}

function StatusCounts({ deliveries }: Pick<DeliveryGroup, 'deliveries'>) {
  return (
    <span class="row">
      {countStatuses(deliveries).map(([status, count]) => (
        <Badge key={status} tone={status === 'failed' ? 'bad' : status === 'pending' ? 'accent' : 'good'}>
          {count} {status}
        </Badge>
      ))}
    </span>
  )
}
