import { useMemo, useState } from 'preact/hooks'
import { useLoaded } from '../frame/use-loaded.ts'
import { CsvButton } from '../frame/csv-button.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { Empty } from '../components/empty.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { formatDay, formatNumber } from '../components/format.ts'
import { Stat } from '../components/stat.tsx'
import { Page } from '../components/page.tsx'
import { TimeRange } from '../components/time-range.tsx'
import { utcDaysOf, type RangeName } from '../components/time-span.ts'
import { Tabs } from '../components/tabs.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { Costs } from './costs.tsx'
import { DayChart } from './day-chart.tsx'
import { lastDays, toDayTable, total, type DayTable } from './day-table.ts'
import { chartColours } from '../components/chart-colours.ts'
import { groupings, groupOf, toMonthRows, type Grouping, type MonthRow } from './usage-groups.ts'
import { readDays, readUsage, type Usage, type UsagePeriod } from './usage-calls.ts'

const pollMs = 15_000
const dayRanges: readonly RangeName[] = ['Last 7 days', 'Last 90 days', 'Last 365 days']

/** Usage of the team by day, by kind of work or by key. */
export function UsagePage() {
  const { value, apiError, reload } = useLoaded('usage', readUsage, { pollMs })
  const [grouping, setGrouping] = useState<Grouping>('By kind')
  return (
    <Page
      title="Usage"
      lead="Credits used by your team. Days and months are in UTC."
      actions={
        value !== undefined && <Tabs label="Split usage" names={groupings} chosen={grouping} onChoose={setGrouping} />
      }
    >
      <ErrorNote apiError={apiError} onRetry={reload} />
      {value === undefined && apiError === undefined && <Skeleton />}
      {value !== undefined && (
        <>
          <UsageStats usage={value} />
          {value.months.length === 0 ? (
            <Empty icon="chart" title="No usage yet">
              <p>Sessions, scrapes, searches and jobs appear here by day, kind and key.</p>
            </Empty>
          ) : (
            <DayCard periods={value.days} grouping={grouping} />
          )}
          <Costs />
          {value.months.length > 0 && (
            <section class="block">
              <h2>By month</h2>
              <DataTable
                label={`Credits by month and ${nounOf(grouping)}`}
                columns={columnsOf(grouping)}
                rows={toMonthRows(value.months, grouping)}
                keyOf={({ startDate, group }) => `${startDate} ${group}`}
              />
            </section>
          )}
        </>
      )}
    </Page>
  )
}

function UsageStats({ usage: { days, balance, load } }: { readonly usage: Usage }) {
  const table = toDayTable(days, () => '', lastDays(Date.now()))
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

interface DayCardProps {
  /** Usage of the last 31 days. */
  readonly periods: readonly UsagePeriod[]
  readonly grouping: Grouping
}

function DayCard({ periods, grouping }: DayCardProps) {
  const [range, setRange] = useState('')
  const days = utcDaysOf(range, Date.now()) ?? lastDays(Date.now())
  const isDefault = range === ''
  const { value, apiError, reload } = useLoaded(
    `usage ${range}`,
    async (api, signal) => (isDefault ? [] : readDays(api, days, signal)),
    { pollMs: isDefault ? undefined : pollMs },
  )
  const shown = isDefault ? periods : value
  const newest = JSON.stringify(toDayTable(shown ?? [], (period) => groupOf(period, grouping), days))
  // Keeps the same object while the data is the same, since redrawing the chart resets its cursor.
  const table = useMemo(() => JSON.parse(newest) as DayTable, [newest])
  const [dayIndex, setDayIndex] = useState<number>()
  const dayStart = dayIndex === undefined ? undefined : table.days[dayIndex]
  const creditsOf = (row: readonly number[]): number => (dayIndex === undefined ? total(row) : (row[dayIndex] ?? 0))
  return (
    <section class="card">
      <div class="block-head">
        <h2>{dayStart === undefined ? 'By day' : formatDay(dayStart)}</h2>
        <TimeRange names={dayRanges} all="Last 31 days" chosen={range} onChoose={setRange} />
        <CsvButton name="usage" readRows={async () => (shown ?? []).map(toCsvRow)} />
      </div>
      <ErrorNote apiError={apiError} onRetry={reload} />
      {shown === undefined && apiError === undefined && <Skeleton />}
      {shown !== undefined && table.groups.length === 0 && <p class="faint">No usage in this time.</p>}
      {table.groups.length > 0 && (
        <>
          <ul class="legend">
            {table.groups.map((name, group) => (
              <li key={name}>
                <i style={{ background: chartColours[group % chartColours.length] }} />
                {name} <span class="faint">{formatNumber(creditsOf(table.credits[group] ?? []))}</span>
              </li>
            ))}
          </ul>
          <DayChart
            label={`Credits by day and ${nounOf(grouping)}. The table of months lists totals.`}
            table={table}
            onDay={setDayIndex}
          />
        </>
      )}
    </section>
  )
}

function nounOf(grouping: Grouping): string {
  return grouping === 'By kind' ? 'kind' : 'key'
}

function toCsvRow({ startDate, apiKey, kind, creditsUsed = 0 }: UsagePeriod) {
  return { day: startDate.slice(0, 10), key: apiKey ?? '', kind: kind ?? '', credits: creditsUsed }
}

function columnsOf(grouping: Grouping): readonly Column<MonthRow>[] {
  return [
    {
      title: 'Month',
      cell: ({ startDate }) =>
        new Date(startDate).toLocaleDateString(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' }),
    },
    { title: grouping === 'By kind' ? 'Kind' : 'Key', cell: ({ group }) => group },
    { title: 'Credits', isNumber: true, cell: ({ credits }) => formatNumber(credits) },
  ]
}
