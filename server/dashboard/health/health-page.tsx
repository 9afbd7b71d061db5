import type { ApiError } from '../api/api.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { Badge } from '../components/badge.tsx'
import { Fact } from '../components/fact.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { Icon } from '../components/icon.tsx'
import { leadOfUnloaded, Page } from '../components/page.tsx'
import { Progress } from '../components/progress.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { readHealth, type Readiness } from './health-calls.ts'
import { History } from './history.tsx'
import { ServerStats } from './server-stats.tsx'

/** Readiness, metrics and isolation of the server. */
export function HealthPage() {
  const { value, apiError, reload } = useLoaded('health', readHealth, { pollMs: 3000 })
  return (
    <Page
      title="Health"
      lead={
        value === undefined ? (
          leadOfUnloaded(apiError)
        ) : (
          <ReadinessBadge readiness={value.readiness} apiError={apiError} />
        )
      }
      actions={
        <button type="button" class="button" onClick={reload}>
          <Icon name="reload" />
          Reload
        </button>
      }
    >
      <ErrorNote apiError={apiError} onRetry={reload} />
      {value === undefined && apiError === undefined && <Skeleton />}
      {value !== undefined && (
        <>
          {value.samples !== undefined && <ServerStats samples={value.samples} />}
          {value.samples !== undefined && <History />}
          <div class="columns">
            <Server readiness={value.readiness} />
            <IsolationLayers readiness={value.readiness} />
          </div>
        </>
      )}
    </Page>
  )
}

interface ReadinessBadgeProps {
  readonly readiness: Readiness
  /** The error of the last request. The readiness is older. */
  readonly apiError: ApiError | undefined
}

function ReadinessBadge({ readiness, apiError }: ReadinessBadgeProps) {
  if (apiError !== undefined) return <Badge tone="bad">unknown</Badge>
  return readiness.status === 'ok' ? <Badge tone="good">ready for sessions</Badge> : <Badge tone="bad">not ready</Badge>
}

function Server({ readiness: { browser, store, pool, sessions } }: { readonly readiness: Readiness }) {
  return (
    <section class="card">
      <h2>Server</h2>
      <dl class="facts">
        <Fact name="Sessions">
          {sessions.live} of {sessions.max}
          <Progress done={sessions.live} total={sessions.max} label="Live sessions of the maximum" />
          {sessions.isDraining && <Badge tone="warn">draining</Badge>}
        </Fact>
        <Fact name="Warm browsers">
          {pool.warm} {pool.isWarm ? '' : <Badge tone="warn">warming up</Badge>}
        </Fact>
        <Fact name="Browser">
          {browser.kind} {browser.version}
        </Fact>
        <Fact name="Store">
          {store.kind} <Badge tone={store.state === 'open' ? 'good' : 'bad'}>{store.state}</Badge>
        </Fact>
      </dl>
    </section>
  )
}

function IsolationLayers({ readiness: { layers } }: { readonly readiness: Readiness }) {
  return (
    <section class="card">
      <h2>Isolation</h2>
      <ul class="layers">
        {layers.map((layer) => (
          <li key={layer.name}>
            <Badge tone={layer.state === 'on' ? 'good' : 'plain'}>{layer.state}</Badge>
            <div>
              <b>{layer.name}</b>
              <small>{layer.detail}</small>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
