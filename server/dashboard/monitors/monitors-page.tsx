import { paths } from 'bowline/contract/paths'
import { useState } from 'preact/hooks'
import type { Monitor } from 'bowline/contract/monitor-checks'
import { useLoaded } from '../frame/use-loaded.ts'
import { linkTo } from '../frame/route.ts'
import { Status } from '../components/badge.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { Empty } from '../components/empty.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { countOf } from '../components/format.ts'
import { Icon } from '../components/icon.tsx'
import { newClient } from '../components/new-client.ts'
import { Page } from '../components/page.tsx'
import { Snippet } from '../components/snippet.tsx'
import { Ago, Next } from '../components/time.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { describeTargets, listMonitors, maxMonitors } from './monitor-calls.ts'
import { NewMonitor } from './new-monitor.tsx'
import { SummaryBadges } from './summary-badges.tsx'

/** The monitors of the team. */
export function MonitorsPage() {
  const { value, apiError, reload } = useLoaded('monitors', listMonitors, { pollMs: 5000 })
  const [isCreating, setIsCreating] = useState(false)
  return (
    <Page
      title="Monitors"
      lead={
        value === undefined
          ? 'Scheduled checks of pages'
          : `${countOf(value.length, 'monitor')}${value.length === maxMonitors ? ' or more' : ''}`
      }
      actions={
        <button type="button" class="button primary" aria-keyshortcuts="n" onClick={() => setIsCreating(true)}>
          <Icon name="plus" />
          New monitor
        </button>
      }
    >
      <ErrorNote apiError={apiError} onRetry={reload} />
      {value === undefined && apiError === undefined && <Skeleton />}
      {value?.length === 0 && (
        <Empty icon="monitor" title="No monitors yet">
          <p>A monitor scrapes pages on a schedule, records their changes and notifies you by email or webhook.</p>
          <Snippet snippets={snippets()} />
        </Empty>
      )}
      {value !== undefined && value.length > 0 && (
        <DataTable label="Monitors" columns={columns} rows={value} keyOf={({ id }) => id} />
      )}
      {value?.length === maxMonitors && (
        <p class="faint">Showing the latest {maxMonitors}. Use the API to list all monitors.</p>
      )}
      {isCreating && <NewMonitor onClose={() => setIsCreating(false)} />}
    </Page>
  )
}

const columns: readonly Column<Monitor>[] = [
  {
    title: 'Name',
    cell: (monitor) => (
      <div class="two-lines">
        <a href={linkTo(['monitors', monitor.id])}>{monitor.name}</a>
        <small class="target">{describeTargets(monitor)}</small>
        {monitor.nextRunAt !== null && (
          <small class="narrow">
            next run <NextRun monitor={monitor} />
          </small>
        )}
      </div>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Status status={status} /> },
  { title: 'Last check', cell: ({ lastCheckSummary }) => <SummaryBadges summary={lastCheckSummary} /> },
  { title: 'Last run', isExtra: true, cell: ({ lastRunAt }) => <Ago time={lastRunAt} none="never" /> },
  {
    title: 'Next run',
    isNumber: true,
    isExtra: true,
    cell: (monitor) => <NextRun monitor={monitor} />,
  },
]

function NextRun({ monitor: { nextRunAt, currentCheckId } }: { readonly monitor: Monitor }) {
  return currentCheckId === null ? <Next time={nextRunAt} /> : <>running</>
}

function snippets() {
  return {
    TypeScript: `${newClient()}
await bowline.monitors.create({
  name: 'Prices',
  schedule: { text: 'every 30 minutes' },
  targets: [{ type: 'scrape', urls: ['https://example.com/prices'] }],
})`,
    curl: `curl -X POST ${location.origin}${paths.createMonitor.path} \\
  -H "Authorization: Bearer $BOWLINE_API_KEY" -H 'Content-Type: application/json' \\
  -d '{ "name": "Prices", "schedule": { "text": "every 30 minutes" },
        "targets": [{ "type": "scrape", "urls": ["https://example.com/prices"] }] }'`,
  }
}
