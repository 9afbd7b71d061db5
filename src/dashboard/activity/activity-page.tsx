import { useEffect, useState } from 'preact/hooks'
import { useAction } from '../api/use-action.ts'
import { useLoaded } from '../api/use-loaded.ts'
import { goTo, linkTo, type Route } from '../frame/route.ts'
import { Badge } from '../parts/badge.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Empty } from '../parts/empty.tsx'
import { FaultNote } from '../parts/fault-note.tsx'
import { Page } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { endpoints, linkOf, readActivity, type ActivityItem, type ActivityPage as Answer } from './activity-calls.ts'

const pageSize = 25

/** What the team did in the last 24 hours. */
export const ActivityPage = ({ route }: { readonly route: Route }) => {
  const endpoint = route.query.get('endpoint') ?? ''
  const first = useLoaded(
    `activity ${endpoint}`,
    async (api, signal) => readActivity(api, { endpoint, limit: pageSize }, signal),
    { everyMs: 5000 },
  )
  const [further, setFurther] = useState<readonly Answer[]>([])
  useEffect(() => setFurther([]), [endpoint])
  const last = further.at(-1) ?? first.value
  const more = useAction(async (api, cursor: string) => {
    const page = await readActivity(api, { endpoint, cursor, limit: pageSize })
    setFurther((pages) => [...pages, page])
  })
  const rows = uniqueRows([first.value, ...further])
  return (
    <Page
      title="Activity"
      lead="What your team asked for in the last 24 hours."
      actions={<EndpointFilter endpoint={endpoint} />}
    >
      <FaultNote fault={first.fault} onRetry={first.reload} />
      {first.value === undefined && first.fault === undefined && <Waiting />}
      {first.value !== undefined && rows.length === 0 && (
        <Empty icon="list" title="Nothing in the last 24 hours">
          <p>Sessions, scrapes, maps, searches and jobs show here as soon as they start.</p>
          <a class="button" href={linkTo(['playground'])}>
            Try one in the playground
          </a>
        </Empty>
      )}
      {rows.length > 0 && <DataTable label="Activity" columns={columns} rows={rows} keyOf={({ id }) => id} />}
      {last?.has_more === true && last.cursor !== null && (
        <button
          type="button"
          class="button"
          disabled={more.isRunning}
          onClick={() => last.cursor !== null && void more.run(last.cursor)}
        >
          {more.isRunning ? 'Loading…' : 'Load more'}
        </button>
      )}
    </Page>
  )
}

const EndpointFilter = ({ endpoint }: { readonly endpoint: string }) => (
  <select
    aria-label="Only of one kind"
    aria-keyshortcuts="/"
    value={endpoint}
    onChange={({ currentTarget: { value } }) => goTo(['activity'], value === '' ? {} : { endpoint: value })}
  >
    <option value="">Everything</option>
    {endpoints.map((name) => (
      <option key={name} value={name}>
        {name.replaceAll('_', ' ')}
      </option>
    ))}
  </select>
)

const columns: readonly Column<ActivityItem>[] = [
  { title: 'What', cell: ({ endpoint }) => <Badge>{endpoint.replaceAll('_', ' ')}</Badge> },
  {
    title: 'Of',
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
  { title: 'API', isExtra: true, cell: ({ api_version: version }) => version },
  { title: 'When', isNumber: true, cell: ({ created_at: time }) => <Ago time={time} /> },
]

/** The first page is asked for again and again, and by then overlaps with the others. */
const uniqueRows = (pages: readonly (Answer | undefined)[]): readonly ActivityItem[] => [
  ...new Map(pages.flatMap((page) => page?.data ?? []).map((item) => [item.id, item])).values(),
]
