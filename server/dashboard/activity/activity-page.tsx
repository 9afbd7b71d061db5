import { titleOf } from 'bowline/contract/titles'
import { usePages } from '../frame/use-pages.ts'
import { linkTo, type Route } from '../frame/route.ts'
import { filtersOf } from '../frame/filters.ts'
import { AndMore } from '../components/and-more.tsx'
import { Badge } from '../components/badge.tsx'
import { CsvButton } from '../frame/csv-button.tsx'
import { FilterSelect } from '../components/filter-select.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { Empty } from '../components/empty.tsx'
import { ErrorCode } from '../components/error-code.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { LoadMore } from '../frame/load-more.tsx'
import { Page } from '../components/page.tsx'
import { SearchField } from '../components/search-field.tsx'
import { Ago } from '../components/time.tsx'
import { TimeRange } from '../components/time-range.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import {
  endpointTitles,
  linkOf,
  readActivity,
  readActivityRows,
  targetOf,
  type ActivityItem,
} from './activity-calls.ts'

const pageSize = 25

/** The team's API calls of the last 24 hours. */
export function ActivityPage({ route }: { readonly route: Route }) {
  const { values, set, isFiltered, key } = filtersOf(route, ['endpoint', 'outcome', 'search', 'range'])
  const pages = usePages<ActivityItem>(`activity ${key}`, async (api, cursor, signal) =>
    readActivity(api, values, { cursor, limit: pageSize }, signal),
  )
  const { rows, apiError, reload } = pages
  return (
    <Page title="Activity" lead="API calls of your team in the last 24 hours">
      <div class="filters">
        <SearchField
          label="Search activity"
          placeholder="Target, error or id"
          value={values.search}
          onSearch={(text) => set('search', text)}
        />
        <FilterSelect
          label="Filter by kind"
          all="All kinds"
          names={Object.keys(endpointTitles)}
          titleOf={(endpoint) => titleOf(endpointTitles, endpoint)}
          chosen={values.endpoint}
          onChoose={(endpoint) => set('endpoint', endpoint)}
        />
        <FilterSelect
          label="Filter by outcome"
          all="Any outcome"
          names={['failed', 'succeeded']}
          chosen={values.outcome}
          onChoose={(outcome) => set('outcome', outcome)}
        />
        <TimeRange
          names={['Last 15 minutes', 'Last hour', 'Last 6 hours']}
          all="Last 24 hours"
          chosen={values.range}
          onChoose={(range) => set('range', range)}
        />
        <CsvButton name="activity" readRows={async (api) => readActivityRows(api, values)} />
      </div>
      <ErrorNote apiError={apiError} onRetry={reload} />
      {rows === undefined && apiError === undefined && <Skeleton />}
      {rows?.length === 0 && isFiltered && <p class="faint">No call matches.</p>}
      {rows?.length === 0 && !isFiltered && (
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

const columns: readonly Column<ActivityItem>[] = [
  { title: 'Kind', cell: ({ endpoint }) => <Badge>{titleOf(endpointTitles, endpoint)}</Badge> },
  {
    title: 'Target',
    cell: (item) => {
      const link = linkOf(item)
      const text = targetOf(item)
      return (
        <>
          {link === undefined ? (
            <span class="target">{text}</span>
          ) : (
            <a class="target" href={link}>
              {text}
            </a>
          )}
          {item.endpoint === 'batch_scrape' && <AndMore pages={item.pages} />}
          <small class="narrow">
            {item.error !== undefined && <ErrorCode code={item.error} />} API {item.api_version}
          </small>
        </>
      )
    },
  },
  {
    title: 'Error',
    isExtra: true,
    cell: ({ error }) => (error === undefined ? '' : <ErrorCode code={error} />),
  },
  { title: 'API', isExtra: true, cell: ({ api_version: version }) => version },
  { title: 'Time', isNumber: true, cell: ({ created_at: time }) => <Ago time={time} /> },
]
