import { useState } from 'preact/hooks'
import { goTo } from '../frame/route.ts'
import { useAction } from '../frame/use-action.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { DataTable, type Column } from '../components/data-table.tsx'
import { ErrorCode } from '../components/error-code.tsx'
import { formatNumber } from '../components/format.ts'
import { codeOf, groupErrors, hostOf, type ErrorGroup, type FailedPage } from './error-groups.ts'
import { readJobErrors, retryFailedPages, type PageJobKind } from './job-calls.ts'

const maxShown = 200

const columns: readonly Column<FailedPage>[] = [
  { title: 'Page', cell: ({ url }) => <span class="target">{url}</span> },
  {
    title: 'Error',
    cell: ({ error, code }) => (
      <>
        {error} {code !== undefined && <ErrorCode code={code} />}
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
 * The failed pages of a job and those that robots.txt disallows, by code and host. After its end
 * they can be scraped again. Renders nothing without errors.
 */
export function JobErrors({ kind, id, isRunning }: JobErrorsProps) {
  const [code, setCode] = useState('')
  const [host, setHost] = useState('')
  const { value } = useLoaded(
    `errors ${id} ${isRunning}`,
    async (api, signal) => readJobErrors(api, { kind, id }, signal),
    { pollMs: isRunning ? 4000 : undefined },
  )
  const retry = useAction(async (api) => goTo(['jobs', 'batch_scrape', await retryFailedPages(api, id)]))
  const blocked =
    value?.robotsBlocked.map((url) => ({ id: url, url, error: 'disallowed by robots.txt', code: 'robots.txt' })) ?? []
  const failed = value?.errors ?? []
  const pages: readonly FailedPage[] = [...failed, ...blocked]
  if (pages.length === 0) return null
  const rows = pages.filter((page) => (code === '' || codeOf(page) === code) && (host === '' || hostOf(page) === host))
  return (
    <section class="block">
      <header class="block-head">
        <h2>Errors</h2>
        <div class="row">
          <GroupSelect
            label="Error code"
            all="All codes"
            groups={groupErrors(pages, codeOf)}
            chosen={code}
            onChoose={setCode}
          />
          <GroupSelect
            label="Host"
            all="All hosts"
            groups={groupErrors(pages, hostOf)}
            chosen={host}
            onChoose={setHost}
          />
          {!isRunning && failed.length > 0 && (
            <button type="button" class="button" disabled={retry.isRunning} onClick={() => void retry.run(undefined)}>
              {failed.length === 1 ? 'Retry the failed page' : `Retry ${formatNumber(failed.length)} failed pages`}
            </button>
          )}
        </div>
      </header>
      <DataTable label="Errors" columns={columns} rows={rows.slice(0, maxShown)} keyOf={({ id }) => id} />
      {rows.length > maxShown && (
        <p class="faint">
          Showing the first {maxShown} of {formatNumber(rows.length)}. Use the API to read all errors.
        </p>
      )}
    </section>
  )
}

interface GroupSelectProps {
  /** Accessible name. */
  readonly label: string
  /** Text of the option that selects all. */
  readonly all: string
  readonly groups: readonly ErrorGroup[]
  /** Empty if all are selected. */
  readonly chosen: string
  readonly onChoose: (name: string) => void
}

/** Selects one group of errors. Renders nothing if there is only one. */
function GroupSelect({ label, all, groups, chosen, onChoose }: GroupSelectProps) {
  if (groups.length < 2) return null
  return (
    <select aria-label={label} value={chosen} onChange={({ currentTarget: { value } }) => onChoose(value)}>
      <option value="">{all}</option>
      {groups.map(({ name, count }) => (
        <option key={name} value={name}>
          {name} ({formatNumber(count)})
        </option>
      ))}
    </select>
  )
}
