import type { Delivery } from 'bowline/contract/webhooks'
import { useAction } from '../frame/use-action.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { BackLink } from '../frame/back-link.tsx'
import { Badge, Status } from '../components/badge.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { Fact } from '../components/fact.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { formatDuration } from '../components/format.ts'
import { Icon } from '../components/icon.tsx'
import { Page } from '../components/page.tsx'
import { Ago, Next } from '../components/time.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { jobLinkOf, readDelivery, redeliver, subjectOf } from './webhook-calls.ts'

const subjectTitles = { job: 'Job', session: 'Session', check: 'Check' } as const

/** A delivery with its attempts and body, and a button that sends it again. */
export function DeliveryPage({ id }: { readonly id: string }) {
  const { value, apiError, reload } = useLoaded(
    `delivery ${id}`,
    async (api, signal) => readDelivery(api, id, signal),
    {
      pollMs: 3000,
    },
  )
  const sendAgain = useAction(async (api) => redeliver(api, id))
  return (
    <Page
      title={value?.event ?? 'Delivery'}
      before={<BackLink to={['webhooks']}>Webhooks</BackLink>}
      lead={value !== undefined && <Status status={value.status} />}
      actions={
        value?.payload !== undefined && (
          <button
            type="button"
            class="button"
            disabled={sendAgain.isRunning || value.status === 'pending'}
            title={value.status === 'pending' ? 'The server still retries this delivery' : undefined}
            onClick={() => void sendAgain.run(undefined).then(reload)}
          >
            <Icon name="reload" />
            Send again
          </button>
        )
      }
    >
      <ErrorNote apiError={apiError} onRetry={reload} />
      {value === undefined && apiError === undefined && <Skeleton />}
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
          <Fact name={subjectTitles[subjectOf(delivery)]}>
            {link === undefined ? <code>{jobId}</code> : <a href={link}>{jobId}</a>}
          </Fact>
          <Fact name="Created">
            <Ago time={createdAt} />
          </Fact>
          {nextAttemptAt !== undefined && (
            <Fact name="Next attempt">
              <Next time={nextAttemptAt} />
            </Fact>
          )}
        </dl>
      </section>
      {attempts.length > 0 && (
        <section class="block">
          <h2>Attempts</h2>
          <DataTable label="Attempts" columns={columns} rows={attempts} keyOf={({ at }) => at} />
        </section>
      )}
      <section class="block">
        <header class="row spread">
          <h2>Body</h2>
          {text !== undefined && <CopyButton text={text} label="Copy the body" />}
        </header>
        {text === undefined ? (
          <p class="faint">The body has been deleted.</p>
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
  { title: 'Time', cell: ({ at }) => <Ago time={at} /> },
  {
    title: 'Response',
    cell: ({ statusCode, error }) => (
      <>
        {statusCode !== undefined && <Badge tone={error === undefined ? 'good' : 'bad'}>{statusCode}</Badge>} {error}
      </>
    ),
  },
  { title: 'Duration', isNumber: true, cell: ({ durationMs }) => formatDuration(durationMs) },
]
