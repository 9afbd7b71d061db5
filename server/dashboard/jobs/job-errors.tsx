import type { BulkErrors } from 'bowline/contract/bulk'
import { useLoaded } from '../frame/use-loaded.ts'
import { Badge } from '../components/badge.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { formatNumber } from '../components/format.ts'
import { readJobErrors, type PageJobKind } from './job-calls.ts'

const maxShown = 200

type Row = Pick<BulkErrors['errors'][number], 'id' | 'url' | 'error' | 'code'>

const columns: readonly Column<Row>[] = [
  { title: 'Page', cell: ({ url }) => <span class="target">{url}</span> },
  {
    title: 'Error',
    cell: ({ error, code }) => (
      <>
        {error} {code !== undefined && <Badge tone="bad">{code}</Badge>}
      </>
    ),
  },
]

interface JobErrorsProps {
  readonly kind: PageJobKind
  readonly id: string
  readonly isRunning: boolean
}

/**
 * The failed pages of a job and those that robots.txt disallows. Renders nothing without errors.
 */
export function JobErrors({ kind, id, isRunning }: JobErrorsProps) {
  const { value } = useLoaded(
    `errors ${id} ${isRunning}`,
    async (api, signal) => readJobErrors(api, { kind, id }, signal),
    { pollMs: isRunning ? 4000 : undefined },
  )
  const blocked = value?.robotsBlocked.map((url) => ({ id: url, url, error: 'disallowed by robots.txt' })) ?? []
  const rows = [...(value?.errors ?? []), ...blocked]
  if (rows.length === 0) return null
  return (
    <section class="block">
      <h2>Errors</h2>
      <DataTable label="Errors" columns={columns} rows={rows.slice(0, maxShown)} keyOf={({ id }) => id} />
      {rows.length > maxShown && (
        <p class="faint">
          Showing the first {maxShown} of {formatNumber(rows.length)}. Use the API to read all errors.
        </p>
      )}
    </section>
  )
}
