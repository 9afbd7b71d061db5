import type { CreateSessionRequest } from 'bowline/contract/browser'
import { BowlineError } from 'bowline/kit/errors'
import { hashSecret, randomSecret } from 'bowline/kit/ids'
import type { OpenProfile } from '../profiles/open-profile.ts'
import { admitSession, findByIdempotencyKey, type SessionRow } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import { availableCredits } from '../store/teams.ts'

/** A request for a session, with who asks. */
export interface NewSession {
  readonly teamId: string
  readonly apiKeyId: string
  readonly request: CreateSessionRequest
  readonly idempotencyKey: string | undefined
  /** How the server itself uses the session. Absent: clients use it. */
  readonly use?: ProfileUse | undefined
}

/** How a session of the server's own uses its profile. */
export interface ProfileUse {
  /** Stands between the session and its profile. */
  readonly wrapProfile?: (profile: OpenProfile) => OpenProfile
  /** Whether the browser starts without what the profile holds. Default false. */
  readonly startsEmpty?: boolean
}

/** What is to be admitted. */
export interface SessionOrder {
  readonly id: string
  readonly wanted: NewSession
  /** Set aside until the bill is written. */
  readonly credits: number
  /** Makes the error of a team that has no place left. */
  readonly atLimit: (message: string) => BowlineError
}

/**
 * Enters a session into the store, with a place of its team and its credits set aside; or finds the one that an earlier
 * request with the same idempotency key entered. Throws INSUFFICIENT_CREDITS, CONCURRENCY_LIMIT,
 * IDEMPOTENCY_KEY_REUSED, SESSION_ENDED.
 */
export async function admit(
  { store, nodeId }: { readonly store: Store; readonly nodeId: string },
  { id, wanted, credits, atLimit }: SessionOrder,
): Promise<{ readonly row: SessionRow; readonly isNew: boolean }> {
  const { request } = wanted
  const requestHash = hashOf(wanted)
  const admission = await admitSession(store.db, {
    id,
    teamId: wanted.teamId,
    apiKeyId: wanted.apiKeyId,
    nodeId,
    ttlSeconds: request.ttl,
    activityTtlSeconds: request.activityTtl,
    streamWebView: request.streamWebView,
    onBrowserClose: request.onBrowserClose,
    profileName: request.profile?.name,
    profileSave: request.profile?.saveChanges,
    keepFiles: request.keepFiles,
    record: recordOf(request),
    secret: randomSecret(),
    reservedCredits: credits,
    idempotencyKey: wanted.idempotencyKey,
    requestHash,
  })
  switch (admission.outcome) {
    case 'admitted':
      return { row: admission.session, isNew: true }
    case 'repeated':
      return { row: checkRepeated(admission.session, requestHash), isNew: false }
    case 'insufficient-credits':
      throw insufficientCredits(request.ttl, credits, admission.available)
    case 'team-limit':
      throw atLimit(
        `You have reached the maximum number of concurrent jobs (${admission.limit}). Please wait until one has ended, or delete a session.`,
      )
  }
  return admission satisfies never
}

/** The session that an earlier request with the same idempotency key made. Throws IDEMPOTENCY_KEY_REUSED, SESSION_ENDED. */
export async function findRepeated(store: Store, wanted: NewSession): Promise<SessionRow | undefined> {
  const { teamId, idempotencyKey } = wanted
  const row = idempotencyKey === undefined ? undefined : await findByIdempotencyKey(store.db, teamId, idempotencyKey)
  return row && checkRepeated(row, hashOf(wanted))
}

/** Throws INSUFFICIENT_CREDITS when the team has not what a session may cost: it need not wait for a place. */
export async function assertCanPay(store: Store, { teamId, request }: NewSession, credits: number): Promise<void> {
  const available = await availableCredits(store.db, teamId)
  if (available !== undefined && available < credits) throw insufficientCredits(request.ttl, credits, available)
}

function hashOf({ request }: NewSession): string {
  return hashSecret(JSON.stringify(request))
}

/** What is recorded, as the store keeps it. */
function recordOf({ record = false }: CreateSessionRequest): string | undefined {
  return record === false ? undefined : JSON.stringify(record)
}

function insufficientCredits(ttlSeconds: number, needed: number, available: number): BowlineError {
  return new BowlineError(
    'INSUFFICIENT_CREDITS',
    `Insufficient credits for a ${ttlSeconds}s browser session (requires ~${needed} credits); ${available} are left`,
  )
}

function checkRepeated(row: SessionRow, requestHash: string): SessionRow {
  if (row.requestHash !== requestHash) {
    throw new BowlineError('IDEMPOTENCY_KEY_REUSED', 'This idempotency key was used for a different request')
  }
  if (row.status !== 'active') {
    throw new BowlineError('SESSION_ENDED', `The session this idempotency key made, ${row.id}, has ended`)
  }
  return row
}
