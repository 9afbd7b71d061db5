import { useState } from 'preact/hooks'
import type { KeySummary } from 'bowline/contract/keys'
import { useAccount } from '../api/context.ts'
import { useAction, type Action } from '../frame/use-action.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { Badge } from '../components/badge.tsx'
import { ConfirmButton } from '../components/confirm-button.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { Icon } from '../components/icon.tsx'
import { Page } from '../components/page.tsx'
import { Ago } from '../components/time.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { NewKey } from './new-key.tsx'

/** The keys of the team, or of all teams for admin keys. */
export function KeysPage() {
  const { isAdmin, keyId } = useAccount()
  const { value, apiError, reload } = useLoaded('keys', async (api, signal) => api.call('listKeys', {}, signal))
  const [isCreating, setIsCreating] = useState(false)
  const revoke = useAction(async (api, id: string) => api.call('revokeKey', { params: { id } }))
  const rows = value?.data.toSorted((a, b) => Number(a.revokedAt !== undefined) - Number(b.revokedAt !== undefined))
  return (
    <Page
      title="Keys"
      lead={
        isAdmin
          ? 'Keys of all teams on this server'
          : 'Keys of your team. Creating and revoking keys requires an admin key.'
      }
      actions={
        isAdmin && (
          <button type="button" class="button primary" aria-keyshortcuts="n" onClick={() => setIsCreating(true)}>
            <Icon name="plus" />
            New key
          </button>
        )
      }
    >
      <ErrorNote apiError={apiError} onRetry={reload} />
      {value === undefined && apiError === undefined && <Skeleton />}
      {rows !== undefined && (
        <DataTable
          label="Keys"
          columns={isAdmin ? [...columns, revokeColumn(revoke, keyId, reload)] : columns}
          rows={rows}
          keyOf={({ id }) => id}
        />
      )}
      {isCreating && (
        <NewKey
          onClose={() => {
            setIsCreating(false)
            reload()
          }}
        />
      )}
    </Page>
  )
}

const columns: readonly Column<KeySummary>[] = [
  {
    title: 'Name',
    cell: ({ name, role, prefix, createdAt, revokedAt, retiredAt }) => (
      <>
        {revokedAt === undefined ? name : <s>{name}</s>} {role === 'admin' && <Badge tone="accent">admin</Badge>}{' '}
        {revokedAt !== undefined && <Badge tone="bad">revoked</Badge>}
        {revokedAt === undefined && retiredAt !== undefined && <Badge tone="warn">retired</Badge>}
        <small class="narrow">
          <code>{prefix}…</code> created <Ago time={createdAt} />
        </small>
      </>
    ),
  },
  { title: 'Team', cell: ({ team }) => team },
  { title: 'Starts with', isExtra: true, cell: ({ prefix }) => <code>{prefix}…</code> },
  { title: 'Created', isExtra: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
  { title: 'Last used', cell: ({ lastUsedAt }) => <Ago time={lastUsedAt} none="never" /> },
]

function revokeColumn(revoke: Action<string>, ownId: string | undefined, onDone: () => void): Column<KeySummary> {
  return {
    title: 'Revoke',
    isNumber: true,
    cell: ({ id, name, revokedAt }) =>
      revokedAt === undefined && id !== ownId ? (
        <ConfirmButton
          icon="bin"
          label={`Revoke ${name}`}
          shortLabel="Revoke"
          question={`Revoke ${name}?`}
          text="Requests with this key will fail, and its sessions will end. This cannot be undone."
          isRunning={revoke.isRunning}
          onConfirm={() => void revoke.run(id).then(onDone)}
        />
      ) : null,
  }
}
