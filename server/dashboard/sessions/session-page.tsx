import { titleOfStatus } from 'bowline/contract/titles'
import { useAction } from '../frame/use-action.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { goTo, type Route } from '../frame/route.ts'
import { onThisServer } from '../live/on-this-server.ts'
import { BackLink } from '../frame/back-link.tsx'
import { Status } from '../components/badge.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { Icon } from '../components/icon.tsx'
import { Page } from '../components/page.tsx'
import { Snippet } from '../components/snippet.tsx'
import { Tabs } from '../components/tabs.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { AgainButton } from './again-button.tsx'
import { NeedsHuman } from './session-card.tsx'
import { SessionConsole } from './session-console.tsx'
import { SessionFacts } from './session-facts.tsx'
import { SessionFiles } from './session-files.tsx'
import { SessionInspector } from './session-inspector.tsx'
import { SessionOptions } from './session-options.tsx'
import { SessionRecordings } from './session-recordings.tsx'
import { EndButton } from './end-button.tsx'
import { extendSession, findSession, type SessionDetails } from './session-calls.ts'
import { connectTo } from './session-snippets.ts'
import { templateOf } from './session-template.ts'

const pollMs = 2000
const watch = 'Watch'
const takeOver = 'Take over'

/**
 * A session: while it is live its live view, files and snippets to connect, and afterwards its
 * recordings.
 */
export function SessionPage({ id, route }: { readonly id: string; readonly route: Route }) {
  const { value, apiError, reload } = useLoaded(`session ${id}`, async (api, signal) => findSession(api, id, signal), {
    pollMs,
    isFinal: ({ status }) => status !== 'active',
  })
  const view = route.query.get('view') === 'take-over' ? takeOver : watch
  return (
    <Page
      title={value?.name ?? 'Session'}
      before={<BackLink to={['sessions']}>Sessions</BackLink>}
      lead={
        <>
          <code>{id}</code> {value !== undefined && <Status status={titleOfStatus(value.status)} />}{' '}
          {value?.handoff !== undefined && <NeedsHuman session={value} />}
        </>
      }
      actions={
        value !== undefined && (
          <>
            {value.status === 'active' && <LiveActions session={value} view={view} onChange={reload} />}
            <AgainButton label="Start again" template={templateOf(value)} />
          </>
        )
      }
    >
      <ErrorNote apiError={apiError} onRetry={reload} />
      {value === undefined && apiError === undefined && <Skeleton />}
      {value !== undefined && <SessionBody session={value} isTakingOver={view === takeOver} />}
    </Page>
  )
}

interface LiveActionsProps {
  readonly session: SessionDetails
  readonly view: typeof watch | typeof takeOver
  readonly onChange: () => void
}

function LiveActions({ session, view, onChange }: LiveActionsProps) {
  const { id } = session
  return (
    <>
      <Tabs
        label="Live view"
        names={[watch, takeOver]}
        chosen={view}
        onChoose={(name) => goTo(['sessions', id], name === takeOver ? { view: 'take-over' } : {})}
      />
      <ExtendButton session={session} onExtended={onChange} />
      <EndButton id={id} onEnded={onChange} />
    </>
  )
}

const extendMinutes = 10

function ExtendButton({ session, onExtended }: { readonly session: SessionDetails; readonly onExtended: () => void }) {
  const extend = useAction(async (api) => extendSession(api, session, extendMinutes))
  return (
    <button
      type="button"
      class="button"
      disabled={extend.isRunning}
      title={`Let the session end ${extendMinutes} minutes later`}
      onClick={() => void extend.run(undefined).then(onExtended)}
    >
      Add {extendMinutes} min
    </button>
  )
}

function SessionBody({ session, isTakingOver }: { readonly session: SessionDetails; readonly isTakingOver: boolean }) {
  const { status, cdpUrl, streamWebView, id, interactiveLiveViewUrl } = session
  const url = isTakingOver ? interactiveLiveViewUrl : session.liveViewUrl
  const isLive = status === 'active'
  return (
    <>
      {isLive && url !== undefined && streamWebView !== false && (
        <div class="watched">
          <LiveView url={url} isInteractive={isTakingOver} />
          {interactiveLiveViewUrl !== undefined && interactiveLiveViewUrl !== '' && (
            <SessionInspector interactiveLiveViewUrl={interactiveLiveViewUrl} />
          )}
        </div>
      )}
      <div class="columns">
        <SessionFacts session={session} />
        <div class="stack">
          <SessionOptions session={session} />
          {isLive && <SessionFiles id={id} isLive />}
        </div>
      </div>
      {!isLive && (
        <>
          <SessionRecordings session={session} />
          <SessionFiles id={id} isLive={false} />
        </>
      )}
      {isLive && <SessionConsole id={id} />}
      {isLive && cdpUrl !== undefined && (
        <section class="block">
          <h2>Connect</h2>
          <p class="faint">This URL contains a token for this session. Anyone who has it can control the browser.</p>
          <Snippet snippets={connectTo(cdpUrl)} />
        </section>
      )}
    </>
  )
}

function LiveView({ url, isInteractive }: { readonly url: string; readonly isInteractive: boolean }) {
  return (
    <section class="live-view" aria-label="Live view">
      <iframe
        key={url}
        src={onThisServer(url)}
        title={isInteractive ? 'Interactive live view' : 'Live view'}
        allow="clipboard-read; clipboard-write"
      />
      <a class="faint" href={onThisServer(url)} target="_blank" rel="noreferrer">
        Open in a new tab <Icon name="out" />
      </a>
    </section>
  )
}
