import { useLoaded } from '../frame/use-loaded.ts'
import { onThisServer } from '../live/watch-live-view.ts'
import { formatBytes } from '../components/format.ts'
import { Icon } from '../components/icon.tsx'
import { Ago } from '../components/time.tsx'

/** The recordings of an ended session. Renders nothing if there are none. */
export function SessionRecordings({ id }: { readonly id: string }) {
  const { value } = useLoaded(`recordings ${id}`, async (api, signal) =>
    api.call('listRecordings', { params: { id } }, signal),
  )
  const [first] = value?.recordings ?? []
  if (value === undefined || first === undefined) return null
  const player = value.recordings.find(({ contentType }) => contentType.startsWith('text/html'))
  return (
    <section class="card recordings">
      <h2>Recordings</h2>
      {player !== undefined && (
        <iframe src={onThisServer(player.url)} title="Player of the recordings" loading="lazy" />
      )}
      <ul class="lines">
        {value.recordings.map(({ name, url, size, contentType }) => (
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
        Deleted <Ago time={first.expiresAt} />.
      </p>
    </section>
  )
}
