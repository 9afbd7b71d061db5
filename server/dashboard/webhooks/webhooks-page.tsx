import type { Delivery } from 'bowline/contract/webhooks'
import { usePages } from '../frame/use-pages.ts'
import { goTo, linkTo, type Route } from '../frame/route.ts'
import { Status } from '../components/badge.tsx'
import { FilterSelect } from '../components/filter-select.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { Empty } from '../components/empty.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { LoadMore } from '../frame/load-more.tsx'
import { Page } from '../components/page.tsx'
import { Ago } from '../components/time.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { deliveryStates, listDeliveries } from './webhook-calls.ts'

/** Webhook deliveries of the team's sessions, jobs and monitors. */
export function WebhooksPage({ route }: { readonly route: Route }) {
  const status = route.query.get('status') ?? ''
  const pages = usePages<Delivery>(`deliveries ${status}`, async (api, cursor, signal) =>
    listDeliveries(api, { status, cursor }, signal),
  )
  const { rows, apiError, reload } = pages
  const onChoose = (name: string): void => goTo(['webhooks'], name === '' ? {} : { status: name })
  return (
    <Page
      title="Webhooks"
      lead="Deliveries of the last seven days."
      actions={
        <FilterSelect
          label="Filter by status"
          all="All statuses"
          names={deliveryStates}
          chosen={status}
          onChoose={onChoose}
        />
      }
    >
      <ErrorNote apiError={apiError} onRetry={reload} />
      {rows === undefined && apiError === undefined && <Skeleton />}
      {rows?.length === 0 && (
        <Empty icon="hook" title={status === '' ? 'No deliveries yet' : `No ${status} deliveries`}>
          <p>Events that sessions, batches, crawls, extracts and monitors send to their webhooks appear here.</p>
        </Empty>
      )}
      {rows !== undefined && rows.length > 0 && (
        <DataTable label="Deliveries" columns={columns} rows={rows} keyOf={({ id }) => id} />
      )}
      <LoadMore pages={pages} />
    </Page>
  )
}

const columns: readonly Column<Delivery>[] = [
  {
    title: 'Event',
    cell: ({ id, event, url }) => (
      <div class="two-lines">
        <a href={linkTo(['webhooks', id])}>{event}</a>
        <small class="target">{url}</small>
      </div>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Status status={status} /> },
  { title: 'Last response', isExtra: true, cell: ({ attempts }) => lastAnswer(attempts) },
  { title: 'Attempts', isNumber: true, isExtra: true, cell: ({ attempts }) => attempts.length },
  { title: 'Created', isNumber: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
]

function lastAnswer(attempts: Delivery['attempts']): string {
  const last = attempts.at(-1)
  return last?.error ?? (last?.statusCode === undefined ? '–' : String(last.statusCode))
}
