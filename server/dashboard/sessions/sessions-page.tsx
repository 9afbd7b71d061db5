import { useEffect, useState } from 'preact/hooks'
import { useLoaded } from '../api/use-loaded.ts'
import { Empty } from '../components/empty.tsx'
import { FaultNote } from '../components/fault-note.tsx'
import { countOf } from '../components/format.ts'
import { Icon } from '../components/icon.tsx'
import { Page } from '../components/page.tsx'
import { Snippet } from '../components/snippet.tsx'
import { Waiting } from '../components/waiting.tsx'
import { EndedSessions } from './ended-sessions.tsx'
import { NewSession } from './new-session.tsx'
import { listEnded, listLive, matches } from './session-calls.ts'
import { SessionCard } from './session-card.tsx'
import { firstSession } from './session-snippets.ts'

const everyMs = 2000
/** For those that came and went in between, and for when it could not be read. */
const endedEveryMs = 30_000
/** Pictures a second of all thumbnails together. */
const wallRate = 24
const fastestMs = 250
const slowestMs = 3000

/** The sessions that live as a wall of moving pictures, and below those that are over. */
export function SessionsPage() {
  const { value: live, fault, reload } = useLoaded('live sessions', listLive, { everyMs })
  const ids = live?.map(({ id }) => id).join(' ') ?? ''
  const { value: ended, reload: reloadEnded } = useLoaded('ended sessions', listEnded, { everyMs: endedEveryMs })
  // What does not live any more has ended: the other list need not wait for its turn.
  useEffect(reloadEnded, [reloadEnded, ids])
  const [words, setWords] = useState('')
  const [isMaking, setIsMaking] = useState(false)
  const found = live?.filter((session) => matches(session, words))
  return (
    <Page
      title="Sessions"
      lead={live === undefined ? 'Loading' : `${countOf(live.length, 'browser')} live`}
      actions={
        <>
          <label class="search">
            <Icon name="search" />
            <input
              type="search"
              placeholder="Filter"
              aria-label="Filter the sessions"
              aria-keyshortcuts="/"
              value={words}
              onInput={(event) => setWords(event.currentTarget.value)}
            />
          </label>
          <button type="button" class="button primary" aria-keyshortcuts="n" onClick={() => setIsMaking(true)}>
            <Icon name="plus" />
            New session
          </button>
        </>
      }
    >
      <FaultNote fault={fault} onRetry={reload} />
      {live === undefined && fault === undefined && <Waiting />}
      {live?.length === 0 && <NoSessions />}
      {live !== undefined && live.length > 0 && found?.length === 0 && (
        <p class="faint">No live session has “{words}” in its id or profile.</p>
      )}
      <ul class="wall" aria-label="Live sessions">
        {found?.map((session) => (
          <SessionCard key={session.id} session={session} everyMs={paceFor(found.length)} onChange={reload} />
        ))}
      </ul>
      {ended !== undefined && ended.length > 0 && <EndedSessions sessions={ended} words={words} />}
      {isMaking && <NewSession onClose={() => setIsMaking(false)} />}
    </Page>
  )
}

/** The more there are, the slower each. */
function paceFor(count: number): number {
  return Math.min(slowestMs, Math.max(fastestMs, Math.round((1000 * count) / wallRate / fastestMs) * fastestMs))
}

function NoSessions() {
  return (
    <Empty icon="wall" title="No browser is live">
      <p>Start one above, or from a program. It shows here as soon as it runs, and you can watch it or take it over.</p>
      <Snippet snippets={firstSession()} />
    </Empty>
  )
}
