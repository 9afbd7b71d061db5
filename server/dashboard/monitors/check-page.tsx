import { useState } from 'preact/hooks'
import type { CheckPage as PageOfCheck } from 'bowline/contract/monitor-checks'
import { useLoaded } from '../frame/use-loaded.ts'
import { linkTo } from '../frame/route.ts'
import { BackLink } from '../frame/back-link.tsx'
import { Badge, Status } from '../components/badge.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { countOf } from '../components/format.ts'
import { Page } from '../components/page.tsx'
import { Ago } from '../components/time.tsx'
import { Tabs } from '../components/tabs.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { FieldChanges } from './field-changes.tsx'
import { readCheck, readMonitor } from './monitor-calls.ts'
import { SideBySide } from './side-by-side.tsx'

const statuses = ['all', 'changed', 'new', 'removed', 'error', 'same'] as const

/** The pages of a check with their changes. */
export function CheckPage({ id, checkId }: { readonly id: string; readonly checkId: string }) {
  const [status, setStatus] = useState<(typeof statuses)[number]>('all')
  const { value, apiError, reload } = useLoaded(
    `check ${checkId} ${status}`,
    async (api, signal) => readCheck(api, id, checkId, status === 'all' ? undefined : status, signal),
    { pollMs: 5000 },
  )
  const name = useLoaded(`monitor ${id}`, async (api, signal) => readMonitor(api, id, signal)).value?.name
  return (
    <Page
      title={name === undefined ? 'Check' : `Check of ${name}`}
      before={<BackLink to={['monitors', id]}>{name ?? 'Monitor'}</BackLink>}
      lead={
        value !== undefined && (
          <>
            <Status status={value.status} /> {value.trigger}, <Ago time={value.startedAt ?? value.createdAt} />
            {value.actualCredits !== null && `, ${countOf(value.actualCredits, 'credit')}`}
          </>
        )
      }
      actions={<Tabs label="Pages" names={statuses} chosen={status} onChoose={setStatus} />}
    >
      <ErrorNote apiError={apiError} onRetry={reload} />
      {value === undefined && apiError === undefined && <Skeleton />}
      {typeof value?.error === 'string' && <p class="notice-line">{value.error}</p>}
      {value?.pages.length === 0 && (
        <p class="faint">{status === 'all' ? 'No pages yet.' : `No pages with status “${status}”.`}</p>
      )}
      {value?.pages.toSorted(byInterest).map((page) => (
        <PageCard key={page.id} page={page} />
      ))}
      {value?.next !== undefined && <p class="faint">Showing the first 100 pages. Use the API to read all pages.</p>}
    </Page>
  )
}

function PageCard({ page }: { readonly page: PageOfCheck }) {
  const { url, status, error, statusCode, diff, judgment, currentScrapeId } = page
  return (
    <section class="card" data-page={status}>
      <header class="row spread">
        <b class="address">{url}</b>
        <span class="row">
          {statusCode !== null && <Badge tone={statusCode < 400 ? 'plain' : 'bad'}>{statusCode}</Badge>}
          <Status status={status} />
          {currentScrapeId !== null && <a href={linkTo(['scrapes', currentScrapeId])}>Page</a>}
        </span>
      </header>
      {error !== null && <p class="notice-line">{error}</p>}
      {judgment !== null && (
        <p>
          <Badge tone={judgment.meaningful ? 'warn' : 'plain'}>
            {judgment.meaningful ? 'meaningful' : 'not meaningful'}
          </Badge>{' '}
          {judgment.reason}
        </p>
      )}
      {typeof diff?.text === 'string' && <SideBySide diff={diff.text} />}
      {diff?.json !== undefined && diff.text === undefined && <FieldChanges changes={diff.json} />}
    </section>
  )
}

function byInterest(a: PageOfCheck, b: PageOfCheck): number {
  return statuses.indexOf(a.status) - statuses.indexOf(b.status)
}
