import type { Delivery } from 'bowline/contract/webhooks'
import { usePages } from '../api/use-pages.ts'
import { goTo, linkTo, type Route } from '../frame/route.ts'
import { Status } from '../components/badge.tsx'
import { Choice } from '../components/choice.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { Empty } from '../components/empty.tsx'
import { FaultNote } from '../components/fault-note.tsx'
import { LoadMore } from '../components/load-more.tsx'
import { Page } from '../components/page.tsx'
import { Ago } from '../components/time.tsx'
import { Waiting } from '../components/waiting.tsx'
import { deliveryStates, listDeliveries } from './webhook-calls.ts'

/** What jobs and monitors of the team have sent to webhooks. */
export function WebhooksPage({ route }: { readonly route: Route }) {
  const status = route.query.get('status') ?? ''
  const pages = usePages<Delivery>(`deliveries ${status}`, async (api, cursor, signal) =>
    listDeliveries(api, { status, cursor }, signal),
  )
  const { rows, fault, reload } = pages
  const onChoose = (name: string): void => goTo(['webhooks'], name === '' ? {} : { status: name })
  return (
    <Page
      title="Webhooks"
      lead="What was sent in the last seven days."
      actions={
        <Choice
          label="Only in one state"
          all="Every state"
          names={deliveryStates}
          chosen={status}
          onChoose={onChoose}
        />
      }
    >
      <FaultNote fault={fault} onRetry={reload} />
      {rows === undefined && fault === undefined && <Waiting />}
      {rows?.length === 0 && (
        <Empty icon="hook" title={status === '' ? 'Nothing was sent yet' : `Nothing is ${status}`}>
          <p>Batches, crawls, extracts and monitors with a webhook tell it what happens. What was sent shows here.</p>
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
  { title: 'State', cell: ({ status }) => <Status status={status} /> },
  { title: 'Last answer', isExtra: true, cell: ({ attempts }) => lastAnswer(attempts) },
  { title: 'Tries', isNumber: true, isExtra: true, cell: ({ attempts }) => attempts.length },
  { title: 'Made', isNumber: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
]

function lastAnswer(attempts: Delivery['attempts']): string {
  const last = attempts.at(-1)
  return last?.error ?? (last?.statusCode === undefined ? '–' : String(last.statusCode))
}
