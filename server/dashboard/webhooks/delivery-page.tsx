import type { Delivery } from 'bowline/contract/webhooks'
import { useAction } from '../api/use-action.ts'
import { useLoaded } from '../api/use-loaded.ts'
import { Back } from '../components/back.tsx'
import { Badge, Status } from '../components/badge.tsx'
import { Copy } from '../components/copy.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { Fact } from '../components/fact.tsx'
import { FaultNote } from '../components/fault-note.tsx'
import { formatDuration } from '../components/format.ts'
import { Icon } from '../components/icon.tsx'
import { Page } from '../components/page.tsx'
import { Ago } from '../components/time.tsx'
import { Waiting } from '../components/waiting.tsx'
import { jobLinkOf, readDelivery, redeliver } from './webhook-calls.ts'

/** One delivery: its tries, what it carries, and a button that sends it again. */
export function DeliveryPage({ id }: { readonly id: string }) {
  const { value, fault, reload } = useLoaded(`delivery ${id}`, async (api, signal) => readDelivery(api, id, signal), {
    everyMs: 3000,
  })
  const again = useAction(async (api) => redeliver(api, id))
  return (
    <Page
      title={value?.event ?? 'Delivery'}
      before={<Back to={['webhooks']}>Webhooks</Back>}
      lead={value !== undefined && <Status status={value.status} />}
      actions={
        value?.payload !== undefined && (
          <button
            type="button"
            class="button"
            disabled={again.isRunning || value.status === 'pending'}
            onClick={() => void again.run(undefined).then(reload)}
          >
            <Icon name="reload" />
            Send again
          </button>
        )
      }
    >
      <FaultNote fault={fault} onRetry={reload} />
      {value === undefined && fault === undefined && <Waiting />}
      {value !== undefined && <DeliveryBody delivery={value} />}
    </Page>
  )
}

function DeliveryBody({ delivery }: { readonly delivery: Delivery }) {
  const { url, jobId, createdAt, nextAttemptAt, attempts, payload } = delivery
  const link = jobLinkOf(delivery)
  const text = payload === undefined ? undefined : JSON.stringify(payload, null, 2)
  return (
    <>
      <section class="card">
        <dl class="facts">
          <Fact name="To">
            <span class="address">{url}</span>
          </Fact>
          <Fact name="Of">{link === undefined ? <code>{jobId}</code> : <a href={link}>{jobId}</a>}</Fact>
          <Fact name="Made">
            <Ago time={createdAt} />
          </Fact>
          {nextAttemptAt !== undefined && (
            <Fact name="Next try">
              <Ago time={nextAttemptAt} />
            </Fact>
          )}
        </dl>
      </section>
      {attempts.length > 0 && (
        <section class="block">
          <h2>Tries</h2>
          <DataTable label="Tries" columns={columns} rows={attempts} keyOf={({ at }) => at} />
        </section>
      )}
      <section class="block">
        <header class="row spread">
          <h2>Body</h2>
          {text !== undefined && <Copy text={text} label="Copy the body" />}
        </header>
        {text === undefined ? (
          <p class="faint">It has been removed by now.</p>
        ) : (
          <pre class="output" tabIndex={0}>
            {text}
          </pre>
        )}
      </section>
    </>
  )
}

const columns: readonly Column<Delivery['attempts'][number]>[] = [
  { title: 'When', cell: ({ at }) => <Ago time={at} /> },
  {
    title: 'Answer',
    cell: ({ statusCode, error }) => (
      <>
        {statusCode !== undefined && <Badge tone={error === undefined ? 'good' : 'bad'}>{statusCode}</Badge>} {error}
      </>
    ),
  },
  { title: 'Took', isNumber: true, cell: ({ durationMs }) => formatDuration(durationMs) },
]
