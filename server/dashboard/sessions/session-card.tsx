import { useState } from 'preact/hooks'
import type { SessionSummary } from 'bowline/contract/browser'
import { linkTo } from '../frame/route.ts'
import { Thumbnail } from '../live/thumbnail.tsx'
import type { ShownTab } from '../live/watch-live-view.ts'
import { Badge } from '../components/badge.tsx'
import { Icon } from '../components/icon.tsx'
import { Ago, TimeLeft } from '../components/time.tsx'
import { EndButton } from './end-button.tsx'

interface SessionCardProps {
  readonly session: SessionSummary
  readonly frameMs: number
  readonly onChange: () => void
}

/** A live session with its thumbnail. */
export function SessionCard({ session, frameMs, onChange }: SessionCardProps) {
  const { id, name, liveViewUrl, streamWebView, handoff } = session
  const [shown, setShown] = useState<ShownTab>()
  // The live view reports it at once, also for sessions on other servers.
  const [needsHuman = handoff !== undefined, setNeedsHuman] = useState<boolean>()
  const title = titleOf(shown)
  return (
    <li class="session-card" data-session={id}>
      <a class="picture" href={linkTo(['sessions', id])}>
        <span class="unseen">{`Watch ${title}, session ${name ?? id}`}</span>
        {liveViewUrl !== undefined && liveViewUrl !== '' && streamWebView !== false ? (
          <Thumbnail
            liveViewUrl={liveViewUrl}
            frameMs={frameMs}
            onShown={setShown}
            onHandoff={setNeedsHuman}
            onEnded={onChange}
          />
        ) : (
          <div class="thumbnail">
            <span class="faint">Live view disabled</span>
          </div>
        )}
        {shown !== undefined && shown.tabs > 1 && <span class="tab-count">{shown.tabs} tabs</span>}
      </a>
      <div class="session-text">
        <div>
          <b title={name ?? title}>{name ?? title}</b>
          <small title={shown?.url}>{name === undefined ? hostOf(shown?.url) : `${title} ${hostOf(shown?.url)}`}</small>
        </div>
      </div>
      <Footer session={session} needsHuman={needsHuman} />
      <div class="row actions">
        <a class="button small" href={linkTo(['sessions', id], { view: 'take-over' })}>
          <Icon name="hand" />
          Take over
        </a>
        <EndButton id={id} isSmall onEnded={onChange} />
      </div>
    </li>
  )
}

function Footer({ session, needsHuman }: { readonly session: SessionSummary; readonly needsHuman: boolean }) {
  const { profile } = session
  return (
    <footer>
      <span title="Started">
        <Ago time={session.createdAt} />
      </span>
      <span title="Time left">
        <TimeLeft time={session.expiresAt} after=" left" />
      </span>
      {needsHuman && <NeedsHuman session={session} />}
      {profile !== undefined && (
        <Badge tone="accent">
          <a href={linkTo(['profiles', profile.name])}>{profile.name}</a>
        </Badge>
      )}
    </footer>
  )
}

/** A link to the live view of a session with an open hand-off. */
export function NeedsHuman({ session: { id, handoff } }: { readonly session: SessionSummary }) {
  return (
    <Badge tone="warn">
      <a href={linkTo(['sessions', id], { view: 'take-over' })} title={handoff?.instructions}>
        Needs a human
      </a>
    </Badge>
  )
}

function titleOf(shown: ShownTab | undefined): string {
  if (shown === undefined) return 'Browser session'
  if (shown.tabs === 0) return 'No open page'
  return shown.title === '' || shown.title === 'about:blank' ? 'Empty page' : shown.title
}

function hostOf(url: string | undefined): string {
  if (url === undefined || !URL.canParse(url)) return '\u00a0'
  const { host, pathname, protocol } = new URL(url)
  return host === '' ? protocol + pathname : host + (pathname === '/' ? '' : pathname)
}
