import type { CreateSessionRequest } from 'bowline/contract/session-options'
import { BowlineError } from 'bowline/kit/errors'
import { hashSecret, randomSecret } from 'bowline/kit/ids'
import { stableJson } from '../kit/stable-json.ts'
import type { HeldProfile } from '../profiles/held-profile.ts'
import { assertCredits } from '../billing/account.ts'
import { recordColumn } from '../recordings/record-plan.ts'
import type { LimitFacts } from './concurrency-limit.ts'
import { metadataColumn } from './session-labels.ts'
import { optionsColumn } from './session-options.ts'
import { webhookColumn } from './session-webhooks.ts'
import { findByIdempotencyKey } from './session-queries.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import type { Store } from '../store/store.ts'
import { admitSession } from './session-account.ts'

/** A request for a session and its owner. */
export interface NewSession {
  readonly teamId: string
  readonly apiKeyId: string
  readonly request: CreateSessionRequest
  readonly idempotencyKey: string | undefined
  /** How the server itself uses the session. Undefined: clients use it. */
  readonly use?: ProfileUse | undefined
  /** Called as soon as the session has a slot, before its browser has started. */
  readonly onAdmitted?: (() => void) | undefined
}

/** How a session of the server uses its profile. */
export interface ProfileUse {
  /** Wraps the profile, to observe or change how it is restored and saved. */
  readonly wrapProfile?: (profile: HeldProfile) => HeldProfile
  /** Whether the browser starts without the data of the profile. Default: false. */
  readonly startsEmpty?: boolean
}

/** A session to admit. */
export interface AdmissionRequest {
  readonly id: string
  readonly newSession: NewSession
  /** Credits to reserve until the session is billed. */
  readonly credits: number
  /** Version of the profile that the session loads. `undefined`: none is saved. */
  readonly loadedVersion: number | undefined
  /** Creates the error for a team that has reached its limit. */
  readonly limitError: (facts: LimitFacts) => BowlineError
}

/**
 * Stores a session, counts it against its team's limit and reserves its credits. Returns the
 * existing session if an earlier request had the same idempotency key.
 * Throws INSUFFICIENT_CREDITS, CONCURRENCY_LIMIT, IDEMPOTENCY_KEY_REUSED or SESSION_ENDED.
 */
export async function admit(
  { store, nodeId }: { readonly store: Store; readonly nodeId: string },
  { id, newSession, credits, loadedVersion, limitError }: AdmissionRequest,
): Promise<{ readonly row: SessionRow; readonly isNew: boolean }> {
  const { request } = newSession
  const admission = await admitSession(store.db, {
    id,
    teamId: newSession.teamId,
    apiKeyId: newSession.apiKeyId,
    nodeId,
    name: request.name,
    metadata: metadataColumn(request.metadata),
    webhook: webhookColumn(request.webhook),
    ttlSeconds: request.ttl,
    activityTtlSeconds: request.activityTtl,
    streamWebView: request.streamWebView,
    onBrowserClose: request.onBrowserClose,
    profileName: request.profile?.name,
    profileSave: request.profile && request.profile.saveChanges !== false,
    profileLoaded: request.profile && (loadedVersion ?? 0),
    keepFiles: request.keepFiles,
    record: recordColumn(request.record),
    options: optionsColumn(request),
    secret: randomSecret(),
    reservedCredits: credits,
    idempotencyKey: newSession.idempotencyKey,
    requestHash: hashOf(request),
  })
  switch (admission.outcome) {
    case 'admitted':
      return { row: admission.session, isNew: true }
    case 'repeated':
      return { row: checkRepeated(admission.session, request), isNew: false }
    case 'insufficient-credits':
      throw insufficientCredits(request.ttl, credits, admission.available)
    case 'team-limit':
      throw limitError({ limitedBy: 'team', limit: admission.limit })
  }
  return admission satisfies never
}

/**
 * Finds the session an earlier request with the same idempotency key created. Throws
 * IDEMPOTENCY_KEY_REUSED or SESSION_ENDED.
 */
export async function findRepeated(store: Store, newSession: NewSession): Promise<SessionRow | undefined> {
  const { teamId, idempotencyKey } = newSession
  const row = idempotencyKey === undefined ? undefined : await findByIdempotencyKey(store.db, teamId, idempotencyKey)
  return row && checkRepeated(row, newSession.request)
}

/**
 * Throws INSUFFICIENT_CREDITS if the team cannot pay for the session. The request then does not
 * wait for a free slot.
 */
export async function assertCanPay(store: Store, { teamId, request }: NewSession, credits: number): Promise<void> {
  await assertCredits(store.db, { teamId, credits }, (needed, available) =>
    insufficientCredits(request.ttl, needed, available),
  )
}

/**
 * Hashes what a request means: the order of its keys and of the events of its webhook, and values
 * that change nothing are lost.
 */
function hashOf(request: CreateSessionRequest): string {
  const { webhook } = request
  const meaning = Object.entries(request).filter(([name, value]) => !isWithoutEffect(name, value))
  return hashSecret(
    stableJson({
      ...Object.fromEntries(meaning),
      webhook: webhook && { ...webhook, events: webhook.events.toSorted() },
    }),
  )
}

/** Lists and records that change nothing if they are empty. */
const extras: ReadonlySet<string> = new Set(['metadata', 'args', 'extensions', 'extraHeaders', 'blockedDomains'])

function isWithoutEffect(name: string, value: unknown): boolean {
  if (name === 'record') return value === false
  if (name === 'headless') return value === true
  return extras.has(name) && Object.keys(value ?? {}).length === 0
}

/** Hashes a request as earlier versions did, which depends on its spelling. */
function formerHashOf(request: CreateSessionRequest): string {
  return hashSecret(JSON.stringify(request))
}

function insufficientCredits(ttlSeconds: number, needed: number, available: number): BowlineError {
  return new BowlineError(
    'INSUFFICIENT_CREDITS',
    `Insufficient credits for a ${ttlSeconds}s browser session (requires ~${needed} credits); ${available} are left`,
  )
}

function checkRepeated(row: SessionRow, request: CreateSessionRequest): SessionRow {
  if (row.requestHash !== hashOf(request) && row.requestHash !== formerHashOf(request)) {
    throw new BowlineError('IDEMPOTENCY_KEY_REUSED', 'This idempotency key was used for a different request')
  }
  if (row.status !== 'active') {
    throw new BowlineError('SESSION_ENDED', `The session created with this idempotency key, ${row.id}, has ended`)
  }
  return row
}
