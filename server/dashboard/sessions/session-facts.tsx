import type { SessionSummary } from 'bowline/contract/browser'
import { Badge } from '../components/badge.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { Fact } from '../components/fact.tsx'
import { formatDuration } from '../components/format.ts'
import { Ago, TimeLeft } from '../components/time.tsx'
import { ReasonBadge } from './end-reason.tsx'
import { SessionTags } from './session-tags.tsx'

/** Details of a session. */
export function SessionFacts({ session }: { readonly session: SessionSummary }) {
  const isLive = session.status === 'active'
  return (
    <section class="card">
      <h2>Details</h2>
      <dl class="facts">
        <Fact name="Id">
          <code>{session.id}</code>
          <CopyButton text={session.id} label="Copy the id" />
        </Fact>
        <Fact name="Started">
          <Ago time={session.createdAt} />
        </Fact>
        {isLive ? (
          <>
            <Fact name="Last used">
              <Ago time={session.lastActivity} />
            </Fact>
            <Fact name="Time left">
              <TimeLeft time={session.expiresAt} />
            </Fact>
          </>
        ) : (
          <Ending session={session} />
        )}
        {session.handoff !== undefined && <Fact name="Needs a human">{session.handoff.instructions}</Fact>}
        <MetadataFacts metadata={session.metadata} />
        {session.profile !== undefined && <ProfileFact profile={session.profile} />}
        {session.error !== undefined && <Fact name="Error">{session.error}</Fact>}
      </dl>
    </section>
  )
}

function Ending({ session }: { readonly session: SessionSummary }) {
  return (
    <>
      <Fact name="Ended">
        <Ago time={session.endedAt} /> {session.endReason !== undefined && <ReasonBadge reason={session.endReason} />}
      </Fact>
      {session.sessionDurationMs !== undefined && (
        <Fact name="Duration">{formatDuration(session.sessionDurationMs)}</Fact>
      )}
      {session.creditsBilled !== undefined && <Fact name="Billed">{session.creditsBilled} credits</Fact>}
    </>
  )
}

function MetadataFacts({ metadata = {} }: Pick<SessionSummary, 'metadata'>) {
  if (Object.keys(metadata).length === 0) return null
  return (
    <Fact name="Metadata">
      <SessionTags metadata={metadata} />
    </Fact>
  )
}

function ProfileFact({ profile }: { readonly profile: NonNullable<SessionSummary['profile']> }) {
  return (
    <Fact name="Profile">
      {profile.name} <span class="faint">{saving(profile)}</span>
      {profile.loadedVersion === null && <Badge>started empty</Badge>}
      {profile.version !== undefined && <Badge tone="good">saved as version {profile.version}</Badge>}
      {profile.error !== undefined && <Badge tone="bad">{profile.error}</Badge>}
    </Fact>
  )
}

function saving({ saveChanges, onlyOnSuccess }: NonNullable<SessionSummary['profile']>): string {
  if (onlyOnSuccess) return 'saves changes on success'
  return saveChanges ? 'saves changes' : 'read-only'
}
