import { useLoaded } from '../api/use-loaded.ts'
import { Badge } from '../components/badge.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { formatNumber } from '../components/format.ts'
import type { JobErrors as Errors } from './job-calls.ts'

const mostShown = 200

type Row = Errors['errors'][number]

const columns: readonly Column<Row>[] = [
  { title: 'Page', cell: ({ url }) => <span class="target">{url}</span> },
  {
    title: 'Why',
    cell: ({ error, code }) => (
      <>
        {error} {code !== undefined && <Badge tone="bad">{code}</Badge>}
      </>
    ),
  },
]

/** The pages of a job that failed, and those that robots.txt forbids. Nothing when there are none. */
export function JobErrors({ path, isRunning }: { readonly path: string; readonly isRunning: boolean }) {
  const { value } = useLoaded(`${path} ${isRunning}`, async (api, signal) => api.get<Errors>(path, signal), {
    everyMs: isRunning ? 4000 : undefined,
  })
  const blocked = value?.robotsBlocked.map((url) => ({ id: url, url, error: 'robots.txt forbids it' })) ?? []
  const rows = [...(value?.errors ?? []), ...blocked]
  if (rows.length === 0) return null
  return (
    <section class="block">
      <h2>Errors</h2>
      <DataTable label="Errors" columns={columns} rows={rows.slice(0, mostShown)} keyOf={({ id }) => id} />
      {rows.length > mostShown && (
        <p class="faint">
          These are the first {mostShown} of {formatNumber(rows.length)}; the API has the others.
        </p>
      )}
    </section>
  )
}
