import { useState } from 'preact/hooks'
import { useLoaded } from '../frame/use-loaded.ts'
import { Empty } from '../components/empty.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { countOf } from '../components/format.ts'
import { Icon } from '../components/icon.tsx'
import { leadOfUnloaded, Page } from '../components/page.tsx'
import { Snippet } from '../components/snippet.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { EndedSessions } from './ended-sessions.tsx'
import { NewSession } from './new-session.tsx'
import { listLive, matches } from './session-calls.ts'
import { SessionCard } from './session-card.tsx'
import { firstSession } from './session-snippets.ts'

const pollMs = 2000
/** Frames per second of all thumbnails together. */
const maxTotalFps = 24
const minFrameMs = 250
const maxFrameMs = 3000

/** Live sessions as thumbnails, with ended sessions below. */
export function SessionsPage() {
  const { value: live, apiError, reload } = useLoaded('live sessions', listLive, { pollMs })
  const [filterText, setFilter] = useState('')
  const [isCreating, setIsCreating] = useState(false)
  const found = live?.filter((session) => matches(session, filterText))
  return (
    <Page
      title="Sessions"
      lead={live === undefined ? leadOfUnloaded(apiError) : countOf(live.length, 'live session')}
      actions={
        <>
          <label class="search">
            <Icon name="search" />
            <input
              type="search"
              placeholder="Filter"
              aria-label="Filter sessions"
              aria-keyshortcuts="/"
              value={filterText}
              onInput={(event) => setFilter(event.currentTarget.value)}
            />
          </label>
          <button type="button" class="button primary" aria-keyshortcuts="n" onClick={() => setIsCreating(true)}>
            <Icon name="plus" />
            New session
          </button>
        </>
      }
    >
      <ErrorNote apiError={apiError} onRetry={reload} />
      {live === undefined && apiError === undefined && <Skeleton />}
      {live?.length === 0 && <NoSessions />}
      {live !== undefined && live.length > 0 && found?.length === 0 && (
        <p class="faint">No live session matches “{filterText}”.</p>
      )}
      <ul class="wall" aria-label="Live sessions">
        {found?.map((session) => (
          <SessionCard key={session.id} session={session} frameMs={intervalFor(found.length)} onChange={reload} />
        ))}
      </ul>
      <EndedSessions text={filterText} />
      {isCreating && <NewSession onClose={() => setIsCreating(false)} />}
    </Page>
  )
}

/** Milliseconds between frames of each thumbnail. */
function intervalFor(count: number): number {
  return Math.min(maxFrameMs, Math.max(minFrameMs, Math.round((1000 * count) / maxTotalFps / minFrameMs) * minFrameMs))
}

function NoSessions() {
  return (
    <Empty icon="wall" title="No live sessions">
      <p>Start one here or from a program, then watch it or take it over.</p>
      <Snippet snippets={firstSession()} />
    </Empty>
  )
}
