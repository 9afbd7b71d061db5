import type { ComponentChildren } from 'preact'
import type { Recording } from 'bowline/contract/recordings'
import { useLoaded } from '../frame/use-loaded.ts'
import { onThisServer } from '../live/on-this-server.ts'
import { Empty } from '../components/empty.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { formatBytes } from '../components/format.ts'
import { Icon } from '../components/icon.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { Snippet } from '../components/snippet.tsx'
import { Ago } from '../components/time.tsx'
import { AgainButton } from './again-button.tsx'
import type { SessionDetails } from './session-calls.ts'
import { recordedSession } from './session-snippets.ts'
import { templateOf } from './session-template.ts'

/** The last picture and the recordings of an ended session, or why there are none. */
export function SessionRecordings({ session }: { readonly session: SessionDetails }) {
  const { id } = session
  const { value, apiError, reload } = useLoaded(`recordings ${id}`, async (api, signal) =>
    api.call('listRecordings', { params: { id } }, signal),
  )
  if (apiError !== undefined) return <ErrorNote apiError={apiError} onRetry={reload} />
  if (value === undefined) return <Skeleton rows={3} />
  const [first] = value.recordings
  if (first === undefined) return <NothingRecorded session={session} />
  const player = value.recordings.find(({ contentType }) => contentType.startsWith('text/html'))
  const picture = value.recordings.find(({ contentType }) => contentType.startsWith('image/'))
  return (
    <>
      {player !== undefined && (
        <section class="block recordings">
          <h2>Recording</h2>
          <iframe src={onThisServer(player.url)} title="Player of the recordings" loading="lazy" />
        </section>
      )}
      <div class="columns">
        {picture !== undefined && (
          <section class="card">
            <h2>Last picture</h2>
            <a href={onThisServer(picture.url)} target="_blank" rel="noreferrer">
              <img class="screenshot" src={onThisServer(picture.url)} alt="The page before the session ended" />
            </a>
          </section>
        )}
        <RecordingFiles recordings={value.recordings} expiresAt={first.expiresAt} />
      </div>
    </>
  )
}

interface RecordingFilesProps {
  readonly recordings: readonly Recording[]
  readonly expiresAt: string
}

function RecordingFiles({ recordings, expiresAt }: RecordingFilesProps) {
  return (
    <section class="card">
      <h2>Recordings</h2>
      <ul class="lines">
        {recordings.map(({ name, url, size, contentType }) => (
          <li key={name}>
            <a class="link" href={onThisServer(url)} target="_blank" rel="noreferrer">
              <Icon name={contentType.startsWith('text/html') ? 'play' : 'file'} />
              {name}
            </a>
            <span class="faint">{size === undefined ? 'plays all recordings' : formatBytes(size)}</span>
          </li>
        ))}
      </ul>
      <p class="faint">
        Will be deleted <Ago time={expiresAt} />.
      </p>
    </section>
  )
}

function NothingRecorded({ session }: { readonly session: SessionDetails }) {
  const template = templateOf(session)
  const { record } = template.options
  if (record !== undefined && record !== false) {
    return (
      <Empty icon="play" title="No recordings">
        <p>{whyNoneAreKept(session, typeof record === 'object' && record.keep === 'on-failure')}</p>
      </Empty>
    )
  }
  const recorded = { ...template, options: { ...template.options, record: true } }
  return (
    <Empty icon="play" title={session.options === undefined ? 'No recordings' : 'This session was not recorded'}>
      {session.options === undefined && <p>It was not recorded, or its recordings have been deleted.</p>}
      <p>
        With <code>record</code>, its last picture, a video, its console and its requests are shown here after it has
        ended.
      </p>
      <AgainButton label="Start again and record" template={recorded} />
      <Snippet snippets={recordedSession()} />
    </Empty>
  )
}

function whyNoneAreKept({ endReason }: SessionDetails, onFailure: boolean): ComponentChildren {
  if (endReason === 'lost') return 'The server stopped before it could store them.'
  if (onFailure) {
    return (
      <>
        It was recorded with <code>keep: 'on-failure'</code>, and recordings are deleted if a session does not fail.
      </>
    )
  }
  return 'They have been deleted after their retention, or the session ended before anything was recorded.'
}
