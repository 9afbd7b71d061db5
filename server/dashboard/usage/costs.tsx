import { useState } from 'preact/hooks'
import type { RouteOutput } from 'bowline/contract/route-types'
import { costTitles } from 'bowline/contract/titles'
import type { Api } from '../api/api.ts'
import { CsvButton } from '../frame/csv-button.tsx'
import { linkTo } from '../frame/route.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import type { CsvRow } from '../components/csv.ts'
import { AndMore } from '../components/and-more.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { formatNumber } from '../components/format.ts'
import { Ago } from '../components/time.tsx'
import { TimeRange } from '../components/time-range.tsx'
import { spanOf, type RangeName } from '../components/time-span.ts'

/** A session, a job or a monitor with its cost. */
type Cost = RouteOutput<'listCosts'>['data'][number]

const shown = 20
const exported = 100

const columns: readonly Column<Cost>[] = [
  { title: 'Kind', cell: ({ kind }) => costTitles[kind] },
  {
    title: 'Work',
    cell: (cost) => (
      <>
        <a class="address" href={linkToCost(cost)} title={cost.id}>
          {cost.target ?? <code>{cost.id.slice(0, 13)}…</code>}
        </a>{' '}
        {cost.kind === 'batch_scrape' && <AndMore pages={cost.pages} />}
        {cost.createdAt !== undefined && (
          <small class="narrow">
            started <Ago time={cost.createdAt} />
          </small>
        )}
      </>
    ),
  },
  { title: 'Started', isExtra: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
  { title: 'Credits', isNumber: true, cell: ({ credits }) => formatNumber(credits) },
]

function linkToCost({ kind, id }: Cost): string {
  if (kind === 'session') return linkTo(['sessions', id])
  return kind === 'monitor' ? linkTo(['monitors', id]) : linkTo(['jobs', kind, id])
}

/** The longest is that of the chart. */
const ranges: readonly RangeName[] = ['Last hour', 'Last 24 hours', 'Last 7 days', 'Last 31 days']

/** The most expensive sessions, jobs and monitors. */
export function Costs() {
  const [range, setRange] = useState('Last 31 days')
  const read = async (api: Api, limit: number, signal?: AbortSignal): Promise<readonly Cost[]> =>
    (await api.call('listCosts', { query: { ...spanOf(range), limit } }, signal)).data
  const { value, apiError, reload } = useLoaded(`costs ${range}`, async (api, signal) => read(api, shown, signal))
  return (
    <section class="block">
      <div class="block-head">
        <h2>Most expensive</h2>
        <TimeRange names={ranges} chosen={range} onChoose={setRange} />
        <CsvButton name="costs" readRows={async (api) => (await read(api, exported)).map(toCsvRow)} />
      </div>
      <ErrorNote apiError={apiError} onRetry={reload} />
      {value?.length === 0 && <p class="faint">No session, job or monitor has cost anything in this time.</p>}
      {value !== undefined && value.length > 0 && (
        <DataTable
          label="Most expensive work"
          columns={columns}
          rows={value}
          keyOf={({ kind, id }) => `${kind} ${id}`}
        />
      )}
      <p class="faint">Batches, crawls, extractions and agents are listed until they expire.</p>
    </section>
  )
}

function toCsvRow({ kind, id, target, credits, createdAt }: Cost): CsvRow {
  return { kind, id, target, started: createdAt, credits }
}
