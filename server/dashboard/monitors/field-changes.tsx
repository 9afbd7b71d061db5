import { DataTable, type Column } from '../components/data-table.tsx'

interface FieldChange {
  readonly path: string
  readonly previous: unknown
  readonly current: unknown
}

const columns: readonly Column<FieldChange>[] = [
  { title: 'Field', cell: ({ path }) => <code>{path}</code> },
  { title: 'Before', cell: ({ previous }) => <del>{show(previous)}</del> },
  { title: 'After', cell: ({ current }) => <ins>{show(current)}</ins> },
]

/** Changed fields with their values before and after. */
export function FieldChanges({ changes }: { readonly changes: object }) {
  const rows = Object.entries(changes as Readonly<Record<string, Partial<FieldChange> | undefined>>)
    .filter(([, change]) => typeof change === 'object' && ('previous' in change || 'current' in change))
    .map(([path, change]) => ({ path, previous: change?.previous, current: change?.current }))
  if (rows.length === 0) return null
  return <DataTable label="Changed fields" columns={columns} rows={rows} keyOf={({ path }) => path} />
}

function show(value: unknown) {
  return value === undefined || value === null ? '–' : JSON.stringify(value)
}
