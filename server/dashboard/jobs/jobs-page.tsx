import { useState } from 'preact/hooks'
import { useLoaded } from '../frame/use-loaded.ts'
import { linkTo } from '../frame/route.ts'
import { Badge, Status } from '../components/badge.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { Empty } from '../components/empty.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { countOf } from '../components/format.ts'
import { Icon } from '../components/icon.tsx'
import { Page } from '../components/page.tsx'
import { Progress } from '../components/progress.tsx'
import { Snippet } from '../components/snippet.tsx'
import { Ago } from '../components/time.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { isRunning, jobTitles, listJobs, maxListed, type ListedJob, type CachedJob } from './job-calls.ts'
import { firstJob } from './job-snippets.ts'
import { NewJob } from './new-job.tsx'

/** Batches, crawls and extracts of the last 24 hours. */
export function JobsPage() {
  const [endedJobs] = useState(() => new Map<string, CachedJob>())
  const { value, apiError, reload } = useLoaded('jobs', async (api, signal) => listJobs(api, endedJobs, signal), {
    pollMs: 3000,
  })
  const counts = value === undefined ? {} : Object.groupBy(value, ({ kind }) => kind)
  const isCutOff = Object.values(counts).some((jobs) => jobs.length >= maxListed)
  const [isCreating, setIsCreating] = useState(false)
  const running = value?.filter(({ state }) => isRunning(state)).length
  return (
    <Page
      title="Jobs"
      lead={running === undefined ? 'Batches, crawls and extracts' : `${countOf(running, 'job')} running`}
      actions={
        <button type="button" class="button primary" aria-keyshortcuts="n" onClick={() => setIsCreating(true)}>
          <Icon name="plus" />
          New job
        </button>
      }
    >
      <ErrorNote apiError={apiError} onRetry={reload} />
      {value === undefined && apiError === undefined && <Skeleton />}
      {value?.length === 0 && (
        <Empty icon="jobs" title="No jobs in the last 24 hours">
          <p>A batch scrapes a list of URLs. A crawl follows the links of a site. Both run on the server.</p>
          <Snippet snippets={firstJob()} />
        </Empty>
      )}
      {value !== undefined && value.length > 0 && (
        <DataTable label="Jobs" columns={columns} rows={value} keyOf={({ id }) => id} />
      )}
      {isCutOff && (
        <p class="faint">
          Showing the latest {maxListed} of each kind. See <a href={linkTo(['activity'])}>Activity</a> for all.
        </p>
      )}
      {isCreating && <NewJob onClose={() => setIsCreating(false)} />}
    </Page>
  )
}

const columns: readonly Column<ListedJob>[] = [
  { title: 'Kind', isExtra: true, cell: ({ kind }) => <Badge>{jobTitles[kind]}</Badge> },
  {
    title: 'Target',
    cell: ({ kind, id, target }) => (
      <a class="target" href={linkTo(['jobs', kind, id])}>
        {target ?? id}
      </a>
    ),
  },
  {
    title: 'Status',
    cell: ({ state }) => (state === undefined ? <Badge>expired</Badge> : <Status status={state.status} />),
  },
  {
    title: 'Pages',
    cell: ({ state }) =>
      state?.total === undefined ? (
        <span class="faint">–</span>
      ) : (
        <div class="progress-cell">
          <Progress done={state.completed ?? 0} total={state.total} label="Pages done" />
          <small>
            {state.completed} of {state.total}
          </small>
        </div>
      ),
  },
  { title: 'Credits', isNumber: true, isExtra: true, cell: ({ state }) => state?.creditsUsed ?? '–' },
  { title: 'Started', isNumber: true, isExtra: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
]
