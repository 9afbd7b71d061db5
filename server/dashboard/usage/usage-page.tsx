import { useMemo, useState } from 'preact/hooks'
import { useLoaded } from '../frame/use-loaded.ts'
import { CsvButton } from '../frame/csv-button.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { Empty } from '../components/empty.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { formatDay, formatNumber } from '../components/format.ts'
import { Stat } from '../components/stat.tsx'
import { Page } from '../components/page.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { DayChart } from './day-chart.tsx'
import { toDayTable, total, type DayTable } from './day-table.ts'
import { keyColours } from './key-colours.ts'
import { readUsage, type Usage, type UsagePeriod } from './usage-calls.ts'

/** Usage of the team by day and key. */
export function UsagePage() {
  const { value, apiError, reload } = useLoaded('usage', readUsage, { pollMs: 15_000 })
  const newest = JSON.stringify(toDayTable(value?.days ?? [], Date.now()))
  // Keeps the same object while the data is the same, since redrawing the chart resets its cursor.
  const table = useMemo(() => JSON.parse(newest) as DayTable, [newest])
  return (
    <Page
      title="Usage"
      lead="Credits used by your team. Days and months are in UTC."
      actions={value !== undefined && <CsvButton name="usage" readRows={async () => value.days.map(toCsvRow)} />}
    >
      <ErrorNote apiError={apiError} onRetry={reload} />
      {value === undefined && apiError === undefined && <Skeleton />}
      {value !== undefined && (
        <>
          <UsageStats usage={value} table={table} />
          {table.keys.length === 0 ? (
            <Empty icon="chart" title="No usage in the last 31 days">
              <p>Sessions, scrapes, searches and jobs appear here by day and key.</p>
            </Empty>
          ) : (
            <DayCard table={table} />
          )}
          {value.months.length > 0 && (
            <section class="block">
              <h2>By month and key</h2>
              <DataTable
                label="Credits by month and key"
                columns={columns}
                rows={value.months.toSorted(newestFirst)}
                keyOf={({ startDate, apiKey }) => `${startDate} ${apiKey ?? ''}`}
              />
            </section>
          )}
        </>
      )}
    </Page>
  )
}

function UsageStats({ usage: { balance, load }, table }: { readonly usage: Usage; readonly table: DayTable }) {
  const sumOfDay = (at: number): number => total(table.credits.map((row) => row.at(at) ?? 0))
  const sum = total(table.credits.map(total))
  return (
    <div class="stats">
      <Stat title="Today" value={formatNumber(sumOfDay(-1))}>
        {formatNumber(sumOfDay(-2))} yesterday
      </Stat>
      <Stat title="Last 31 days" value={formatNumber(sum)}>
        {formatNumber(sum / table.days.length)} per day
      </Stat>
      {balance !== undefined && (
        <Stat
          title="Credits left"
          value={balance.unmetered === true ? 'unmetered' : formatNumber(balance.remainingCredits)}
        >
          {balance.unmetered === true ? 'no credit limit' : `${formatNumber(balance.reservedCredits ?? 0)} reserved`}
        </Stat>
      )}
      {load !== undefined && (
        <Stat title="Running now" value={formatNumber(load.concurrency)}>
          of {formatNumber(load.maxConcurrency)}
        </Stat>
      )}
    </div>
  )
}

function DayCard({ table }: { readonly table: DayTable }) {
  const [dayIndex, setDayIndex] = useState<number>()
  const dayStart = dayIndex === undefined ? undefined : table.days[dayIndex]
  const creditsOf = (row: readonly number[]): number => (dayIndex === undefined ? total(row) : (row[dayIndex] ?? 0))
  return (
    <section class="card">
      <h2>{dayStart === undefined ? 'Last 31 days' : formatDay(dayStart)}</h2>
      <ul class="legend">
        {table.keys.map((name, key) => (
          <li key={name}>
            <i style={{ background: keyColours[key % keyColours.length] }} />
            {name} <span class="faint">{formatNumber(creditsOf(table.credits[key] ?? []))}</span>
          </li>
        ))}
      </ul>
      <DayChart table={table} onDay={setDayIndex} />
    </section>
  )
}

function toCsvRow({ startDate, apiKey, creditsUsed = 0 }: UsagePeriod) {
  return { day: startDate.slice(0, 10), key: apiKey ?? '', credits: creditsUsed }
}

function newestFirst(a: UsagePeriod, b: UsagePeriod): number {
  return b.startDate.localeCompare(a.startDate) || (b.creditsUsed ?? 0) - (a.creditsUsed ?? 0)
}

const columns: readonly Column<UsagePeriod>[] = [
  {
    title: 'Month',
    cell: ({ startDate }) =>
      new Date(startDate).toLocaleDateString(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' }),
  },
  { title: 'Key', cell: ({ apiKey }) => apiKey ?? '–' },
  { title: 'Credits', isNumber: true, cell: ({ creditsUsed }) => formatNumber(creditsUsed ?? 0) },
]
