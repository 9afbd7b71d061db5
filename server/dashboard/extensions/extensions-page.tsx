import { useRef } from 'preact/hooks'
import type { BrowserExtension } from 'bowline/contract/extensions'
import { useAction, type Action } from '../frame/use-action.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { ConfirmButton } from '../components/confirm-button.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { Empty } from '../components/empty.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { formatBytes } from '../components/format.ts'
import { Icon } from '../components/icon.tsx'
import { Page } from '../components/page.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { Snippet } from '../components/snippet.tsx'
import { Ago } from '../components/time.tsx'

const snippets = {
  TypeScript: `const { id } = await bowline.extensions.upload('extension.zip')
await bowline.withSession({ extensions: [id], driver: playwright }, async ({ page }) => {
  await page.goto('https://example.com')
})`,
  Shell: 'bowline exec --extension "$(bowline extensions upload extension.zip)" -- node job.js',
}

/** The browser extensions of the team. */
export function ExtensionsPage() {
  const { value, apiError, reload } = useLoaded('extensions', async (api, signal) =>
    api.call('listExtensions', {}, signal),
  )
  const remove = useAction(async (api, id: string) => api.call('deleteExtension', { params: { id } }))
  return (
    <Page
      title="Extensions"
      lead="Browser extensions that sessions can load, in full Chromium with strict isolation"
      actions={<UploadButton onDone={reload} />}
    >
      <ErrorNote apiError={apiError} onRetry={reload} />
      {value === undefined && apiError === undefined && <Skeleton />}
      {value?.data.length === 0 && (
        <Empty icon="puzzle" title="No extensions yet">
          <p>Upload the zip of an extension of manifest v3, and choose it when you start a session.</p>
          <Snippet snippets={snippets} />
        </Empty>
      )}
      {value !== undefined && value.data.length > 0 && (
        <DataTable
          label="Extensions"
          columns={[...columns, deleteColumn(remove, reload)]}
          rows={value.data}
          keyOf={({ id }) => id}
        />
      )}
    </Page>
  )
}

const columns: readonly Column<BrowserExtension>[] = [
  {
    title: 'Name',
    cell: ({ id, name, createdAt }) => (
      <>
        {name}
        <small class="narrow">
          <code>{id}</code> uploaded <Ago time={createdAt} />
        </small>
      </>
    ),
  },
  { title: 'Version', cell: ({ version }) => version },
  { title: 'Id', isExtra: true, cell: ({ id }) => <code>{id}</code> },
  { title: 'Uploaded', isExtra: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
  { title: 'Size', isNumber: true, cell: ({ contentBytes }) => formatBytes(contentBytes) },
]

function deleteColumn(remove: Action<string>, onDone: () => void): Column<BrowserExtension> {
  return {
    title: 'Delete',
    isNumber: true,
    cell: ({ id, name }) => (
      <ConfirmButton
        icon="bin"
        label={`Delete ${name}`}
        shortLabel="Delete"
        question={`Delete ${name}?`}
        text="New sessions can no longer load it. Sessions that have loaded it keep it."
        isRunning={remove.isRunning}
        onConfirm={() => void remove.run(id).then(onDone)}
      />
    ),
  }
}

/** A button that uploads a zip. Errors are shown as notices. */
function UploadButton({ onDone }: { readonly onDone: () => void }) {
  const input = useRef<HTMLInputElement>(null)
  const upload = useAction(async (api, zip: File) => api.upload('uploadExtension', zip))
  const onChange = (event: { readonly currentTarget: HTMLInputElement }): void => {
    const { currentTarget } = event
    const [zip] = currentTarget.files ?? []
    // The same file can be chosen again after it was corrected.
    if (zip !== undefined)
      void upload
        .run(zip)
        .then(() => (currentTarget.value = ''))
        .then(onDone)
  }
  return (
    <>
      <input hidden ref={input} type="file" aria-label="Zip of an extension" accept=".zip,.crx" onChange={onChange} />
      <button
        type="button"
        class="button primary"
        aria-keyshortcuts="n"
        disabled={upload.isRunning}
        onClick={() => input.current?.click()}
      >
        <Icon name="plus" />
        Upload extension
      </button>
    </>
  )
}
