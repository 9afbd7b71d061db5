import { useMemo, useState } from 'preact/hooks'
import { ApiError } from '../api/api.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { chartColours } from '../components/chart-colours.ts'
import { ErrorNote } from '../components/error-note.tsx'
import { formatDuration, formatNumber } from '../components/format.ts'
import { Tabs } from '../components/tabs.tsx'
import { LineChart } from './line-chart.tsx'
import { nameOf, summarize, toSeries, type HealthHistory } from './health-series.ts'

const pollMs = 60_000

const hoursOf = { '1 h': 1, '6 h': 6, '24 h': 24 } as const
const ranges = Object.keys(hoursOf) as readonly (keyof typeof hoursOf)[]

interface ChartDefinition {
  readonly title: string
  readonly read: (point: HealthHistory['data'][number]['points'][number]) => number
  readonly format: (value: number) => string
  readonly minTop: number
}

const charts: readonly ChartDefinition[] = [
  { title: 'Live sessions', read: ({ sessions }) => sessions, format: formatNumber, minTop: 4 },
  { title: 'Waiting for a session', read: ({ waiting }) => waiting, format: formatNumber, minTop: 4 },
  {
    title: 'Wait in the queue',
    read: ({ queueWaitSeconds }) => queueWaitSeconds,
    format: (seconds) => (seconds === 0 ? '0 s' : formatDuration(seconds * 1000)),
    minTop: 1,
  },
  { title: 'Memory of the machine', read: ({ memoryUsed }) => memoryUsed, format: percent, minTop: 1 },
  { title: 'Processors', read: ({ cpuUsed }) => cpuUsed, format: percent, minTop: 1 },
  { title: 'Failed requests (5xx)', read: ({ errors }) => errors, format: formatNumber, minTop: 4 },
]

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

/** Charts of the load of the servers in the last hours. Empty without an admin key. */
export function History() {
  const [range, setRange] = useState<keyof typeof hoursOf>('24 h')
  const { value, apiError, reload } = useLoaded(
    `health history ${range}`,
    async (api, signal) => {
      try {
        return await api.call('healthHistory', { query: { hours: hoursOf[range] } }, signal)
      } catch (error) {
        if (error instanceof ApiError && (error.status === 403 || error.isMissingRoute)) return undefined
        throw error
      }
    },
    { pollMs },
  )
  if (apiError === undefined && value === undefined) return null
  return (
    <section class="block">
      <div class="block-head">
        <h2>Over time</h2>
        <Tabs label="Time range" names={ranges} chosen={range} onChoose={setRange} />
      </div>
      <ErrorNote apiError={apiError} onRetry={reload} />
      {value?.data.length === 0 && <p class="faint">No samples yet. The server stores one every minute.</p>}
      {value !== undefined && value.data.length > 0 && <Charts history={value} />}
    </section>
  )
}

function Charts({ history }: { readonly history: HealthHistory }) {
  return (
    <>
      {history.data.length > 1 && (
        <ul class="legend">
          {history.data.map((server, at) => (
            <li key={server.id} title={server.id}>
              <i style={{ background: chartColours[at % chartColours.length] }} />
              {nameOf(server)} {!server.isAlive && <span class="faint">no longer runs</span>}
            </li>
          ))}
        </ul>
      )}
      <div class="columns">
        {charts.map((chart) => (
          <HistoryChart key={chart.title} chart={chart} history={history} />
        ))}
      </div>
    </>
  )
}

interface HistoryChartProps {
  readonly chart: ChartDefinition
  readonly history: HealthHistory
}

function HistoryChart({ chart: { title, read, format, minTop }, history }: HistoryChartProps) {
  const series = useMemo(() => toSeries(history, read), [history, read])
  const summary = summarize(series)
  const text = summary === undefined ? 'no samples' : `now ${format(summary.last)}, at most ${format(summary.most)}`
  return (
    <section class="card">
      <div>
        <h3>{title}</h3>
        <small>{text}</small>
      </div>
      <LineChart label={`${title}: ${text}`} series={series} format={format} minTop={minTop} />
    </section>
  )
}
