import { useState } from 'preact/hooks'
import type { TeamSummary } from 'bowline/contract/teams'
import { useAccount } from '../api/context.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { DataTable, type Column } from '../components/data-table.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { formatNumber } from '../components/format.ts'
import { Icon } from '../components/icon.tsx'
import { Page } from '../components/page.tsx'
import { Ago } from '../components/time.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { TeamForm } from './team-form.tsx'

/** Balances and limits of the teams that the key can see. */
export function TeamsPage() {
  const { isAdmin } = useAccount()
  const { value, apiError, reload } = useLoaded('teams', async (api, signal) => api.call('listTeams', {}, signal), {
    pollMs: 5000,
  })
  const [edited, setEdited] = useState<TeamSummary | 'new'>()
  return (
    <Page
      title="Teams"
      lead={
        isAdmin ? 'Balances and limits of all teams' : 'Balance and limits of your team. Editing requires an admin key.'
      }
      actions={
        isAdmin && (
          <button type="button" class="button primary" aria-keyshortcuts="n" onClick={() => setEdited('new')}>
            <Icon name="plus" />
            New team
          </button>
        )
      }
    >
      <ErrorNote apiError={apiError} onRetry={reload} />
      {value === undefined && apiError === undefined && <Skeleton />}
      {value !== undefined && (
        <DataTable
          label="Teams"
          columns={isAdmin ? [...columns, changeColumn(setEdited)] : columns}
          rows={value.data}
          keyOf={({ id }) => id}
        />
      )}
      {edited !== undefined && (
        <TeamForm
          team={edited === 'new' ? undefined : edited}
          onClose={() => {
            setEdited(undefined)
            reload()
          }}
        />
      )}
    </Page>
  )
}

const columns: readonly Column<TeamSummary>[] = [
  {
    title: 'Name',
    cell: ({ name, rateLimits, createdAt }) => (
      <>
        {name}
        <small class="narrow">
          {rateLimits !== null && `${rateLimits} requests per minute, `}created <Ago time={createdAt} />
        </small>
      </>
    ),
  },
  {
    title: 'Credits left',
    isNumber: true,
    cell: ({ credits, reservedCredits }) =>
      credits === null ? (
        <span class="faint">unmetered</span>
      ) : (
        <>
          {formatNumber(credits)}
          {reservedCredits > 0 && <small> {formatNumber(reservedCredits)} reserved</small>}
        </>
      ),
  },
  {
    title: 'Running',
    isNumber: true,
    cell: ({ concurrency, maxConcurrency }) =>
      maxConcurrency === null ? formatNumber(concurrency) : `${concurrency} of ${maxConcurrency}`,
  },
  { title: 'Requests per minute', isExtra: true, cell: ({ rateLimits }) => rateLimits ?? <span class="faint">–</span> },
  { title: 'Created', isNumber: true, isExtra: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
]

function changeColumn(onChange: (team: TeamSummary) => void): Column<TeamSummary> {
  return {
    title: 'Edit',
    isNumber: true,
    cell: (team) => (
      <button type="button" class="button small" aria-label={`Edit ${team.name}`} onClick={() => onChange(team)}>
        Edit
      </button>
    ),
  }
}
