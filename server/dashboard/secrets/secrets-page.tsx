import type { SecretSummary } from 'bowline/contract/secrets'
import { useAction, type Action } from '../frame/use-action.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { ConfirmButton } from '../components/confirm-button.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { Empty } from '../components/empty.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { Page } from '../components/page.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { Snippet } from '../components/snippet.tsx'
import { Ago } from '../components/time.tsx'

/** The secrets of the team, without their values. */
export function SecretsPage() {
  const { value, apiError, reload } = useLoaded('secrets', async (api, signal) => api.call('listSecrets', {}, signal))
  const remove = useAction(async (api, name: string) => api.call('deleteSecret', { params: { name } }))
  return (
    <Page title="Secrets" lead="Values that sessions type into pages of their origins. They are never shown.">
      <ErrorNote apiError={apiError} onRetry={reload} />
      {value === undefined && apiError === undefined && <Skeleton />}
      {value?.data.length === 0 && (
        <Empty icon="lock" title="No secrets yet">
          <p>A program types a secret by its name, so that neither it nor a language model sees the value.</p>
          <Snippet snippets={snippets} />
        </Empty>
      )}
      {value !== undefined && value.data.length > 0 && (
        <DataTable
          label="Secrets"
          columns={[...columns, deleteColumn(remove, reload)]}
          rows={value.data}
          keyOf={({ name }) => name}
        />
      )}
    </Page>
  )
}

const snippets = {
  Shell: 'bowline secrets set SHOP_PASSWORD --origin https://shop.example.com',
  TypeScript: `await bowline.secrets.set('SHOP_PASSWORD', {
  value: password,
  origins: ['https://shop.example.com'],
})`,
}

const columns: readonly Column<SecretSummary>[] = [
  {
    title: 'Name',
    cell: ({ name, kind, origins, createdAt }) => (
      <>
        <span class="address">{name}</span>
        <small class="narrow">
          {origins.join(', ')}, {kindTitles[kind]}, created <Ago time={createdAt} />
        </small>
      </>
    ),
  },
  { title: 'Kind', isExtra: true, cell: ({ kind }) => kindTitles[kind] },
  { title: 'Origins', isExtra: true, cell: ({ origins }) => <span class="address">{origins.join(', ')}</span> },
  { title: 'Created', isExtra: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
  { title: 'Value set', cell: ({ updatedAt }) => <Ago time={updatedAt} /> },
]

const kindTitles: Readonly<Record<SecretSummary['kind'], string>> = { text: 'text', totp: 'one-time code' }

function deleteColumn(remove: Action<string>, onDone: () => void): Column<SecretSummary> {
  return {
    title: 'Delete',
    isNumber: true,
    cell: ({ name }) => (
      <ConfirmButton
        icon="bin"
        label={`Delete ${name}`}
        shortLabel="Delete"
        question={`Delete ${name}?`}
        text="Sessions can no longer type it. Pages into which it was typed keep it. This cannot be undone."
        isRunning={remove.isRunning}
        onConfirm={() => void remove.run(name).then(onDone)}
      />
    ),
  }
}
