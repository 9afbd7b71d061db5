import { useState } from 'preact/hooks'
import { filtersOf } from '../frame/filters.ts'
import type { Route } from '../frame/route.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { Empty } from '../components/empty.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { countOf } from '../components/format.ts'
import { Icon } from '../components/icon.tsx'
import { leadOfUnloaded, Page } from '../components/page.tsx'
import { SearchField } from '../components/search-field.tsx'
import { Snippet } from '../components/snippet.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { endedFilters, EndedSessions } from './ended-sessions.tsx'
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
export function SessionsPage({ route }: { readonly route: Route }) {
  const { value: live, apiError, reload } = useLoaded('live sessions', listLive, { pollMs })
  const filters = filtersOf(route, endedFilters)
  const { search } = filters.values
  const [isCreating, setIsCreating] = useState(false)
  const found = live?.filter((session) => matches(session, search))
  return (
    <Page
      title="Sessions"
      lead={live === undefined ? leadOfUnloaded(apiError) : countOf(live.length, 'live session')}
      actions={
        <>
          <SearchField
            label="Filter sessions"
            placeholder="Filter"
            value={search}
            onSearch={(text) => filters.set('search', text)}
          />
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
        <p class="faint">No live session matches “{search}”.</p>
      )}
      <ul class="wall" aria-label="Live sessions">
        {found?.map((session) => (
          <SessionCard key={session.id} session={session} frameMs={intervalFor(found.length)} onChange={reload} />
        ))}
      </ul>
      <EndedSessions filters={filters} />
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
