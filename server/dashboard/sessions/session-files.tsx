import { useState } from 'preact/hooks'
import type { SessionFile } from 'bowline/contract/files'
import { urlOf } from '../api/api.ts'
import { useAction } from '../frame/use-action.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { ErrorNote } from '../components/error-note.tsx'
import { formatBytes } from '../components/format.ts'
import { Icon } from '../components/icon.tsx'
import { saveAs } from '../components/save-as.ts'

interface SessionFilesProps {
  readonly id: string
  readonly isLive: boolean
}

/** The files of a session. Loaded on a click, because that counts as activity of the session. */
export function SessionFiles({ id, isLive }: SessionFilesProps) {
  const [isWanted, setIsWanted] = useState(false)
  return (
    <section class="card">
      <h2>Files</h2>
      {isWanted ? (
        <FileList key={String(isLive)} id={id} />
      ) : (
        <>
          <p class="faint">Downloads and uploads of the session. {isLive && 'Showing them counts as activity.'}</p>
          <button type="button" class="button" onClick={() => setIsWanted(true)}>
            Show files
          </button>
        </>
      )}
    </section>
  )
}

function FileList({ id }: { readonly id: string }) {
  const { value, apiError, reload } = useLoaded(`files ${id}`, async (api, signal) =>
    api.call('listFiles', { params: { id }, query: {} }, signal),
  )
  const download = useAction(async (api, { name }: SessionFile) => {
    const response = await api.fetchResponse(urlOf('downloadFile', { params: { id, name }, query: {} }))
    saveAs(await response.blob(), name)
  })
  if (apiError !== undefined) return <ErrorNote apiError={apiError} onRetry={reload} />
  if (value === undefined) return <p class="faint">Loading</p>
  if (value.files.length === 0) return <p class="faint">No files.</p>
  return (
    <ul class="lines">
      {value.files.map((file) => (
        <li key={file.name}>
          <button type="button" class="link" disabled={download.isRunning} onClick={() => void download.run(file)}>
            <Icon name="file" />
            {file.name}
          </button>
          <span class="faint">
            {formatBytes(file.size)} {file.direction}
            {file.complete ? '' : `, ${file.error ?? 'incomplete'}`}
          </span>
        </li>
      ))}
    </ul>
  )
}
