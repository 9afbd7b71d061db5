import { useState } from 'preact/hooks'
import type { ListedJob } from 'bowline/contract/jobs'
import { jobTitles } from 'bowline/contract/titles'
import { CsvButton } from '../frame/csv-button.tsx'
import { LoadMore } from '../frame/load-more.tsx'
import { linkTo, type Route } from '../frame/route.ts'
import { filtersOf, type Filters } from '../frame/filters.ts'
import { usePages } from '../frame/use-pages.ts'
import { AndMore } from '../components/and-more.tsx'
import { Badge, Status } from '../components/badge.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { Empty } from '../components/empty.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { FilterSelect } from '../components/filter-select.tsx'
import { formatNumber } from '../components/format.ts'
import { Icon } from '../components/icon.tsx'
import { Page } from '../components/page.tsx'
import { Progress } from '../components/progress.tsx'
import { SearchField } from '../components/search-field.tsx'
import { Snippet } from '../components/snippet.tsx'
import { Ago } from '../components/time.tsx'
import { TimeRange } from '../components/time-range.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { isJobKind } from './job-calls.ts'
import { countPages } from './job-state.ts'
import { firstJob } from './job-snippets.ts'
import { jobStatuses, listJobs, readJobRows, type JobFilters } from './list-jobs.ts'
import { NewJob } from './new-job.tsx'

const pageSize = 25

/** Batches, crawls, extractions and agents, until a day after their end. */
export function JobsPage({ route }: { readonly route: Route }) {
  const filters = filtersOf(route, ['kind', 'status', 'search', 'range'])
  const { values, isFiltered, key } = filters
  const pages = usePages<ListedJob>(`jobs ${key}`, async (api, cursor, signal) =>
    listJobs(api, values, { cursor, limit: pageSize }, signal),
  )
  const { rows, apiError, reload } = pages
  const [isCreating, setIsCreating] = useState(false)
  return (
    <Page
      title="Jobs"
      lead="Batches, crawls, extractions and agents, until a day after their end"
      actions={
        <button type="button" class="button primary" aria-keyshortcuts="n" onClick={() => setIsCreating(true)}>
          <Icon name="plus" />
          New job
        </button>
      }
    >
      <JobFilterBar filters={filters} />
      <ErrorNote apiError={apiError} onRetry={reload} />
      {rows === undefined && apiError === undefined && <Skeleton />}
      {rows?.length === 0 && isFiltered && <p class="faint">No job matches.</p>}
      {rows?.length === 0 && !isFiltered && (
        <Empty icon="jobs" title="No jobs in the last 24 hours">
          <p>A batch scrapes a list of URLs. A crawl follows the links of a site. Both run on the server.</p>
          <Snippet snippets={firstJob()} />
        </Empty>
      )}
      {rows !== undefined && rows.length > 0 && (
        <DataTable label="Jobs" columns={columns} rows={rows} keyOf={({ id }) => id} />
      )}
      <LoadMore pages={pages} />
      {isCreating && <NewJob onClose={() => setIsCreating(false)} />}
    </Page>
  )
}

function JobFilterBar({ filters: { values, set } }: { readonly filters: Filters<keyof JobFilters> }) {
  return (
    <div class="filters">
      <SearchField
        label="Search jobs"
        placeholder="URL, prompt, key or id"
        value={values.search}
        onSearch={(text) => set('search', text)}
      />
      <FilterSelect
        label="Filter by kind"
        all="All kinds"
        names={Object.keys(jobTitles)}
        titleOf={(kind) => (isJobKind(kind) ? jobTitles[kind] : kind)}
        chosen={values.kind}
        onChoose={(kind) => set('kind', kind)}
      />
      <FilterSelect
        label="Filter by status"
        all="Any status"
        names={jobStatuses}
        chosen={values.status}
        onChoose={(status) => set('status', status)}
      />
      <TimeRange
        names={['Last hour', 'Last 6 hours', 'Last 24 hours']}
        chosen={values.range}
        onChoose={(range) => set('range', range)}
      />
      <CsvButton name="jobs" readRows={async (api) => readJobRows(api, values)} />
    </div>
  )
}

const columns: readonly Column<ListedJob>[] = [
  { title: 'Kind', isExtra: true, cell: ({ kind }) => <Badge>{jobTitles[kind]}</Badge> },
  {
    title: 'Target',
    cell: ({ kind, id, target, createdAt, total = 0, failed = 0 }) => (
      <div class="two-lines">
        <a class="target" href={linkTo(['jobs', kind, id])}>
          {target ?? id}
        </a>
        {kind === 'batch_scrape' && <AndMore pages={total + failed} />}
        <small class="narrow">
          {jobTitles[kind]}, started <Ago time={createdAt} />
        </small>
      </div>
    ),
  },
  { title: 'Status', cell: ({ status, error }) => <Status status={status} title={error} /> },
  { title: 'Pages', cell: (job) => <PageCounts job={job} /> },
  { title: 'Credits', isNumber: true, isExtra: true, cell: ({ creditsUsed }) => formatNumber(creditsUsed) },
  { title: 'Started', isNumber: true, isExtra: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
]

function PageCounts({ job }: { readonly job: ListedJob }) {
  const counts = countPages(job)
  if (counts === undefined) return <span class="faint">–</span>
  return (
    <div class="progress-cell">
      <Progress done={counts.completed} total={counts.all} label="Pages done" />
      <small>
        {formatNumber(counts.completed)} of {formatNumber(counts.all)}
        {counts.failed > 0 && `, ${formatNumber(counts.failed)} failed`}
      </small>
    </div>
  )
}
