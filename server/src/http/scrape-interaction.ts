import type { SessionPrompts } from '../agent/session-prompts.ts'
import { interactResponse, interactTimes, type InteractRequest, type InteractResponse } from 'bowline/contract/interact'
import { createSessionRequest } from 'bowline/contract/session-options'
import type { ExecuteOutcome, ExecuteRequest } from 'bowline/contract/execute'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { requestPeer } from '../cluster/relay.ts'
import { assertCodeEnabled } from '../execution/assert-code-enabled.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { sessionEnded } from '../kit/session-ended.ts'
import type { ScrapeReplay } from '../scrape/queries/scrape-replay.ts'
import { replayScrape } from '../scrape/render/replay-scrape.ts'
import type { Scrapes } from '../scrape/scrapes.ts'
import { findByIdempotencyKey, getTeamSession } from '../sessions/session-queries.ts'
import { sessionUrls } from '../sessions/urls.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import { abortOnDisconnect } from './disconnect-signal.ts'
import type { Call } from './register.ts'
import { requireLiveSession } from './require-live-session.ts'
import { peerOfRow, type SessionNodeDeps } from './session-node.ts'

/** Dependencies of `ScrapeInteraction`. */
export interface ScrapeInteractionDeps extends SessionNodeDeps {
  readonly scrapes: Pick<Scrapes, 'readReplay'>
  readonly gateway: Pick<Gateway, 'connect'>
  readonly prompts: Pick<SessionPrompts, 'assertAvailable' | 'run'>
  readonly maxTtlSeconds: number
  /** Whether clients may run code. */
  readonly hasExecution: boolean
}

/**
 * Continues scrapes in sessions. A scrape has at most one session, created by the first call, in
 * which the scrape is repeated. Once that session has ended, there is no other.
 */
export class ScrapeInteraction {
  readonly #deps: ScrapeInteractionDeps
  /** Sessions in which a scrape is being repeated, by scrape id. Further calls wait for it. */
  readonly #starting = new Map<string, Promise<SessionRow>>()

  constructor(deps: ScrapeInteractionDeps) {
    this.#deps = deps
  }

  /**
   * Runs code or a prompt in the session of a scrape. Throws SCRAPE_NOT_FOUND, FORBIDDEN, CONFLICT
   * if the scrape cannot be repeated, SESSION_ENDED, and like `Sessions.create`, `CodeRunner.run`
   * and `SessionPrompts.run`.
   */
  async run(scrapeId: string, request: InteractRequest, call: Call): Promise<InteractResponse> {
    const { existingSessionId } = request
    const { store, sessions, prompts, hasExecution } = this.#deps
    // Before a session is created for it.
    if (request.code === undefined) prompts.assertAvailable()
    else assertCodeEnabled(hasExecution)
    const row =
      existingSessionId === undefined
        ? await this.#sessionOf(scrapeId, call)
        : await getTeamSession(store.db, existingSessionId, call.key.teamId)
    const peer = await peerOfRow(this.#deps, row, call.raw.raw)
    if (peer !== undefined) return interactResponse.parse(await requestPeer(peer, call.raw.raw, request))
    await this.#starting.get(scrapeId)?.catch(() => undefined)
    const session = await requireLiveSession(sessions, row)
    const outcome = await this.#runIn(session, scrapeId, request, call)
    const { cdpUrl, liveViewUrl, interactiveLiveViewUrl } = sessionUrls(call.baseUrl, session.row)
    const success = outcome.exitCode === 0 && !outcome.killed
    return { success, sessionId: row.id, cdpUrl, liveViewUrl, interactiveLiveViewUrl, ...outcome }
  }

  /** Returns the session of a scrape. Throws SESSION_NOT_FOUND if the scrape has none. */
  async find(scrapeId: string, { key }: Call): Promise<SessionRow> {
    await this.#deps.scrapes.readReplay(scrapeId, key.teamId)
    const row = await findByIdempotencyKey(this.#deps.store.db, key.teamId, sessionKey(scrapeId))
    if (row === undefined) throw new BowlineError('SESSION_NOT_FOUND', 'Browser session not found.')
    return row
  }

  async #runIn(
    session: LiveSession,
    scrapeId: string,
    { code, prompt = '', language, timeout, existingSessionId }: InteractRequest,
    call: Call,
  ): Promise<ExecuteOutcome & { readonly output?: string }> {
    const { scrapes, gateway, prompts } = this.#deps
    if (code !== undefined) {
      const execution: ExecuteRequest = { code, language, timeout }
      const outcome = await session.code.run(execution, async (upgrade) =>
        gateway.connect(session, upgrade, { query: new URLSearchParams(), targetId: undefined }),
      )
      return session.secrets.mask.applyToJson(outcome)
    }
    using caller = abortOnDisconnect(call.raw)
    const replay = existingSessionId === undefined ? await scrapes.readReplay(scrapeId, call.key.teamId) : undefined
    return await prompts.run(session, {
      prompt,
      url: replay?.url,
      timeoutSeconds: timeout,
      signal: caller.signal,
    })
  }

  async #sessionOf(scrapeId: string, call: Call): Promise<SessionRow> {
    const replay = await this.#deps.scrapes.readReplay(scrapeId, call.key.teamId)
    const starting = this.#starting.get(scrapeId)
    if (starting !== undefined) return starting
    const started = this.#findOrStart(scrapeId, replay, call)
    this.#starting.set(scrapeId, started)
    try {
      return await started
    } finally {
      this.#starting.delete(scrapeId)
    }
  }

  async #findOrStart(scrapeId: string, replay: ScrapeReplay | undefined, { key }: Call): Promise<SessionRow> {
    const { store, sessions, nodeId, maxTtlSeconds } = this.#deps
    const idempotencyKey = sessionKey(scrapeId)
    const found = await findByIdempotencyKey(store.db, key.teamId, idempotencyKey)
    if (found?.status === 'active') return found
    if (found !== undefined) throw sessionEnded()
    if (replay === undefined) {
      throw new BowlineError('CONFLICT', 'Replay context is unavailable for this scrape job.', {
        hint: 'Scrape the page again, or send `existingSessionId`.',
      })
    }
    const { ttl, activityTtl } = interactTimes
    const { profile, allowedDomains: navigation } = replay
    const allowedDomains = navigation === undefined ? undefined : { navigation }
    const options = { ttl: Math.min(ttl, maxTtlSeconds), activityTtl, profile, allowedDomains }
    const request = createSessionRequest.parse(options)
    const row = await sessions.create({ teamId: key.teamId, apiKeyId: key.id, request, idempotencyKey })
    // Another server, which was asked at the same time, repeats the scrape in the session.
    if (row.nodeId === nodeId) await this.#replay(row, replay)
    return row
  }

  async #replay(row: SessionRow, replay: ScrapeReplay): Promise<void> {
    const { sessions } = this.#deps
    const session = await requireLiveSession(sessions, row)
    const resumeIdle = session.suspendIdle()
    try {
      await replayScrape(session, replay)
    } catch (cause) {
      // The client never received the session, so it costs nothing.
      await sessions.end(row.id, 'deleted', { isUnclaimed: true, error: 'The scrape could not be repeated' })
      const message = 'Failed to initialize browser session from the original scrape context.'
      const hint = isBowlineError(cause) ? [`${cause.message}.`, cause.hint ?? ''].join(' ').trim() : undefined
      throw new BowlineError('CONFLICT', `${message} Please rerun the scrape and try again.`, { cause, hint })
    } finally {
      resumeIdle()
    }
  }
}

/** Idempotency key by which the session of a scrape is found on all servers. */
function sessionKey(scrapeId: string): string {
  return `interact ${scrapeId}`
}
