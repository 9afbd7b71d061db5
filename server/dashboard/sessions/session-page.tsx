import { useState } from 'preact/hooks'
import type { SessionSummary } from 'bowline/contract/browser'
import { useAction } from '../api/use-action.ts'
import { useLoaded } from '../api/use-loaded.ts'
import { goTo, type Route } from '../frame/route.ts'
import { onThisServer } from '../live/watch.ts'
import { Back } from '../components/back.tsx'
import { Status } from '../components/badge.tsx'
import { Confirm } from '../components/confirm.tsx'
import { FaultNote } from '../components/fault-note.tsx'
import { Icon } from '../components/icon.tsx'
import { Page } from '../components/page.tsx'
import { Snippet } from '../components/snippet.tsx'
import { Tabs } from '../components/tabs.tsx'
import { Waiting } from '../components/waiting.tsx'
import { SessionFacts } from './session-facts.tsx'
import { SessionFiles } from './session-files.tsx'
import { SessionRecordings } from './session-recordings.tsx'
import { endSession, findSession } from './session-calls.ts'
import { connectTo } from './session-snippets.ts'

const everyMs = 2000
const watching = 'Watch'
const taking = 'Take over'

/** One session: its live view, what is known of it, and how to connect to it. */
export function SessionPage({ id, route }: { readonly id: string; readonly route: Route }) {
  const [isOver, setIsOver] = useState(false)
  const { value, fault, reload } = useLoaded(
    `session ${id}`,
    async (api, signal) => {
      const session = await findSession(api, id, signal)
      setIsOver(session.status !== 'active')
      return session
    },
    { everyMs: isOver ? undefined : everyMs },
  )
  const end = useAction(async (api) => endSession(api, id))
  const isLive = value?.status === 'active'
  const view = route.query.get('view') === 'take-over' ? taking : watching
  return (
    <Page
      title="Session"
      before={<Back to={['sessions']}>Sessions</Back>}
      lead={
        <>
          <code>{id}</code> {value !== undefined && <Status status={value.status} />}
        </>
      }
      actions={
        isLive && (
          <>
            <Tabs
              label="Live view"
              names={[watching, taking]}
              chosen={view}
              onChoose={(name) => goTo(['sessions', id], name === taking ? { view: 'take-over' } : {})}
            />
            <Confirm
              icon="stop"
              label="End"
              question="End this session?"
              text="Its clients are disconnected and it is billed. A profile that it writes is saved."
              isRunning={end.isRunning}
              onConfirm={() => void end.run(undefined).then(reload)}
            />
          </>
        )
      }
    >
      <FaultNote fault={fault} onRetry={reload} />
      {value === undefined && fault === undefined && <Waiting />}
      {value !== undefined && <SessionBody session={value} isTakingOver={view === taking} />}
    </Page>
  )
}

function SessionBody({ session, isTakingOver }: { readonly session: SessionSummary; readonly isTakingOver: boolean }) {
  const { status, cdpUrl, streamWebView, id } = session
  const url = isTakingOver ? session.interactiveLiveViewUrl : session.liveViewUrl
  const isLive = status === 'active'
  return (
    <>
      {isLive && url !== undefined && streamWebView !== false && (
        <section class="stage" aria-label="Live view">
          <iframe
            key={url}
            src={onThisServer(url)}
            title={isTakingOver ? 'Live view that you can use' : 'Live view'}
            allow="clipboard-read; clipboard-write"
          />
          <a class="faint" href={onThisServer(url)} target="_blank" rel="noreferrer">
            Open in a tab of its own <Icon name="out" />
          </a>
        </section>
      )}
      <div class="columns">
        <SessionFacts session={session} />
        <SessionFiles id={id} isLive={isLive} />
        {!isLive && <SessionRecordings id={id} />}
      </div>
      {isLive && cdpUrl !== undefined && (
        <section class="block">
          <h2>Connect</h2>
          <p class="faint">The address holds a token for this session alone: whoever has it can drive the browser.</p>
          <Snippet snippets={connectTo(cdpUrl)} />
        </section>
      )}
    </>
  )
}
