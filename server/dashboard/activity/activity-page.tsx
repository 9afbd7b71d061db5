import { usePages } from '../frame/use-pages.ts'
import { goTo, linkTo, type Route } from '../frame/route.ts'
import { Badge } from '../components/badge.tsx'
import { CsvButton } from '../frame/csv-button.tsx'
import { FilterSelect } from '../components/filter-select.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { Empty } from '../components/empty.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { LoadMore } from '../frame/load-more.tsx'
import { Page } from '../components/page.tsx'
import { Ago } from '../components/time.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { endpoints, linkOf, readActivity, readAllActivity, type ActivityItem } from './activity-calls.ts'

const pageSize = 25

/** The team's API calls of the last 24 hours. */
export function ActivityPage({ route }: { readonly route: Route }) {
  const endpoint = route.query.get('endpoint') ?? ''
  const pages = usePages<ActivityItem>(`activity ${endpoint}`, async (api, cursor, signal) => {
    const {
      data,
      cursor: next,
      has_more: hasMore,
    } = await readActivity(api, { endpoint, cursor, limit: pageSize }, signal)
    return { rows: data, cursor: hasMore ? next : null }
  })
  const { rows, apiError, reload } = pages
  const onChoose = (name: string): void => goTo(['activity'], name === '' ? {} : { endpoint: name })
  return (
    <Page
      title="Activity"
      lead="API calls of your team in the last 24 hours."
      actions={
        <>
          <FilterSelect
            label="Filter by endpoint"
            all="All endpoints"
            names={endpoints}
            chosen={endpoint}
            onChoose={onChoose}
          />
          <CsvButton name="activity" readRows={async (api) => (await readAllActivity(api, endpoint)).map(toCsvRow)} />
        </>
      }
    >
      <ErrorNote apiError={apiError} onRetry={reload} />
      {rows === undefined && apiError === undefined && <Skeleton />}
      {rows?.length === 0 && (
        <Empty icon="list" title="No activity in the last 24 hours">
          <p>Sessions, scrapes, maps, searches and jobs appear here as soon as they start.</p>
          <a class="button" href={linkTo(['playground'])}>
            Open the playground
          </a>
        </Empty>
      )}
      {rows !== undefined && rows.length > 0 && (
        <DataTable label="Activity" columns={columns} rows={rows} keyOf={({ id }) => id} />
      )}
      <LoadMore pages={pages} />
    </Page>
  )
}

function toCsvRow({ created_at: time, endpoint, target, id, error, api_version: version }: ActivityItem) {
  return { time, endpoint, target, id, error: error ?? '', version }
}

const columns: readonly Column<ActivityItem>[] = [
  { title: 'Endpoint', cell: ({ endpoint }) => <Badge>{endpoint.replaceAll('_', ' ')}</Badge> },
  {
    title: 'Target',
    cell: (item) => {
      const link = linkOf(item)
      const text = item.target ?? item.id
      return link === undefined ? (
        <span class="target">{text}</span>
      ) : (
        <a class="target" href={link}>
          {text}
        </a>
      )
    },
  },
  {
    title: 'Error',
    isExtra: true,
    cell: ({ error }) => (error === undefined ? '' : <Badge tone="bad">{error}</Badge>),
  },
  { title: 'API', isExtra: true, cell: ({ api_version: version }) => version },
  { title: 'Time', isNumber: true, cell: ({ created_at: time }) => <Ago time={time} /> },
]
