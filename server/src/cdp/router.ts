import { BowlineError } from 'bowline/kit/errors'
import { cdpSessionIdAtTail, isTargetEvent, withoutCdpSessionId, type CdpCommand, type CdpResponse } from './message.ts'
import {
  isOversizedEvent,
  isTooLargeForBrowser,
  OversizedResult,
  responseId,
  resultLimit,
  type ResultBudget,
} from './message-limits.ts'
import type { CdpChannel, ChannelTarget, Receive } from './channel.ts'
import type { CdpPipe } from './pipe.ts'
import type { CdpCall, CdpEvent, CdpMethod, CdpParams, CdpResult } from './protocol.ts'

/** Shares one browser pipe between the server and any number of clients. */
export interface CdpRouter {
  /**
   * Sends a command of the server to the browser. Rejects with CDP_FAILED if the browser returns an
   * error or is gone, or if the result is larger than the limit of `resultLimit`.
   */
  readonly call: CdpCall
  /**
   * Returns `call` for a session of the server; see `attachToTarget`. A budget replaces the limits
   * of its results.
   */
  readonly callIn: (cdpSessionId: string, budget?: ResultBudget) => CdpCall
  /**
   * Sends a command to a session of a client. The client does not see the response. Rejects as
   * `call` does.
   */
  readonly callInClientSession: <Method extends CdpMethod>(
    method: Method,
    params: CdpParams<Method>,
    cdpSessionId: string,
  ) => Promise<CdpResult<Method>>
  /**
   * Calls the listener with every event of the server's own sessions, except those too large to
   * parse. Returns a function that removes it.
   */
  readonly onEvent: (listener: (event: CdpEvent) => void) => () => void
  /** Opens a channel for one client. Rejects with CDP_FAILED if its target is gone. */
  readonly openChannel: (receive: Receive, target?: ChannelTarget) => Promise<CdpChannel>
  readonly onDrain: (listener: () => void) => () => void
  readonly pause: () => void
  readonly resume: () => void
  readonly isPaused: () => boolean
  /** Whether the server waits for the response to a command of its own. */
  readonly isAwaited: () => boolean
  /** Time of the last message from the browser, by `performance.now()`. */
  readonly lastMessageMs: () => number
  /** Resolves when the browser is gone. */
  readonly closed: Promise<void>
}

interface Pending {
  readonly method: string
  readonly budget: ResultBudget
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

interface RequestOptions {
  readonly cdpSessionId?: string
  readonly budget?: ResultBudget | undefined
}

/**
 * Where messages of one session go. `isRoot`: the channel's own session, whose id the client never
 * sees.
 */
interface SessionRoute {
  readonly receive: Receive
  readonly isRoot: boolean
  readonly sessions: Set<string>
  /** Session in which this one was announced, and its target. */
  readonly origin?: { readonly parent: string; readonly targetId: string }
}

/** Rewrites messages of a browser and observes the commands of its clients. */
export interface MessageFilter {
  readonly rewrite: (message: Buffer) => Buffer
  readonly noteCommand: (command: CdpCommand) => void
}

/** Routes the messages of a pipe, after `filter` has changed them. Only one router per pipe. */
export function routePipe(pipe: CdpPipe, filter?: MessageFilter): CdpRouter {
  return new PipeRouter(pipe, filter)
}

class PipeRouter implements CdpRouter {
  readonly closed: Promise<void>
  readonly #pipe: CdpPipe
  readonly #filter: MessageFilter | undefined
  /** Sessions of clients, by id. */
  readonly #sessions = new Map<string, SessionRoute>()
  /** Ids of the server's sessions. */
  readonly #serverSessions = new Set<string>()
  readonly #pending = new Map<number, Pending>()
  readonly #listeners = new Set<(event: CdpEvent) => void>()
  readonly #drainListeners = new Set<() => void>()
  #lastId = 0
  /** Ids of commands sent by `callInClientSession` that await a response. */
  readonly #clientCallIds = new Set<number>()
  #lastReservedId = 0
  #isClosed = false
  #isPaused = false
  #lastMessageMs = performance.now()

  constructor(pipe: CdpPipe, filter: MessageFilter | undefined) {
    this.#pipe = pipe
    this.#filter = filter
    pipe.onMessage((message) => this.#route(filter === undefined ? message : filter.rewrite(message)))
    pipe.onDrain(() => {
      for (const listener of this.#drainListeners) listener()
    })
    this.closed = pipe.closed.then(() => this.#failPending())
  }

  readonly call: CdpCall = async (method, ...[params]) => this.#request(++this.#lastId, method, params)

  readonly callIn = (cdpSessionId: string, budget?: ResultBudget): CdpCall => {
    return async (method, ...[params]) => this.#request(++this.#lastId, method, params, { cdpSessionId, budget })
  }

  readonly callInClientSession: CdpRouter['callInClientSession'] = async (method, params, cdpSessionId) => {
    const id = firstReservedId + ++this.#lastReservedId
    this.#clientCallIds.add(id)
    return this.#request(id, method, params, { cdpSessionId })
  }

  readonly onEvent = (listener: (event: CdpEvent) => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly onDrain = (listener: () => void): (() => void) => {
    this.#drainListeners.add(listener)
    return () => this.#drainListeners.delete(listener)
  }

  readonly pause = (): void => {
    this.#isPaused = true
    this.#pipe.pause()
  }

  readonly resume = (): void => {
    this.#isPaused = false
    this.#pipe.resume()
  }

  readonly isPaused = (): boolean => this.#isPaused
  readonly isAwaited = (): boolean => this.#pending.size > 0
  readonly lastMessageMs = (): number => this.#lastMessageMs

  readonly openChannel = async (receive: Receive, target?: ChannelTarget): Promise<CdpChannel> => {
    const { sessionId: root } =
      target === undefined
        ? await this.call('Target.attachToBrowserTarget')
        : await this.call('Target.attachToTarget', { targetId: target.targetId, flatten: true })
    const { targetInfo } = await this.callIn(root)('Target.getTargetInfo')
    const sessions = new Set([root])
    this.#sessions.set(root, { receive, isRoot: true, sessions })
    const stop = this.onEvent(({ method, params }) => {
      if (method === 'Target.detachedFromTarget' && params.sessionId === root) target?.onDetached()
    })
    return {
      targetId: targetInfo.targetId,
      rootSessionId: root,
      includes: (cdpSessionId) => sessions.has(cdpSessionId) && cdpSessionId !== root,
      send: (command) => {
        const cdpSessionId = command.sessionId ?? root
        if (!sessions.has(cdpSessionId) || command.sessionId === root) return 'unknown-session'
        const { id, method, params } = command
        const message = JSON.stringify({ id, method, params, sessionId: cdpSessionId })
        if (isTooLargeForBrowser(message)) return 'too-large'
        this.#filter?.noteCommand(command)
        return this.#pipe.send(message) ? 'sent' : 'full'
      },
      [Symbol.asyncDispose]: async () => {
        stop()
        for (const cdpSessionId of sessions) this.#sessions.delete(cdpSessionId)
        sessions.clear()
        // If the browser is gone, there is nothing to detach from.
        await this.call('Target.detachFromTarget', { sessionId: root }).catch(() => undefined)
      },
    }
  }

  async #request<Result>(
    id: number,
    method: string,
    params: object = {},
    { cdpSessionId, budget = { bytes: resultLimit(method, params) } }: RequestOptions = {},
  ): Promise<Result> {
    if (this.#isClosed) throw browserGone(method)
    const response = Promise.withResolvers<unknown>()
    this.#pending.set(id, { method, budget, resolve: response.resolve, reject: response.reject })
    this.#pipe.send(JSON.stringify({ id, method, params, sessionId: cdpSessionId }))
    // The protocol defines the result of each method.
    return response.promise as Promise<Result>
  }

  #route(message: Buffer): void {
    this.#lastMessageMs = performance.now()
    const cdpSessionId = cdpSessionIdAtTail(message)
    const route = cdpSessionId === undefined ? undefined : this.#sessions.get(cdpSessionId)
    if (route === undefined) {
      // A session without an owner belonged to a client that disconnected: its late messages are
      // dropped.
      if (cdpSessionId === undefined || this.#serverSessions.has(cdpSessionId)) this.#receiveForServer(message)
      return
    }
    if (this.#clientCallIds.size > 0 && this.#isClientCall(message)) return this.#receiveForServer(message)
    if (isTargetEvent(message)) {
      if (isOversizedEvent(message)) return
      this.#followTargets(message, cdpSessionId ?? '', route)
    }
    route.receive(route.isRoot ? withoutCdpSessionId(message) : message)
  }

  /** Whether a message is the response to a command of `callInClientSession`. */
  #isClientCall(message: Buffer): boolean {
    const id = responseId(message)
    return id !== undefined && this.#clientCallIds.delete(id)
  }

  /** A session announced to a client belongs to that client until the browser detaches it. */
  #followTargets(message: Buffer, parent: string, route: SessionRoute): void {
    const { method, params } = JSON.parse(message.toString()) as CdpEvent
    if (method === 'Target.attachedToTarget') {
      route.sessions.add(params.sessionId)
      const origin = { parent, targetId: params.targetInfo.targetId }
      this.#sessions.set(params.sessionId, { ...route, isRoot: false, origin })
    } else if (method === 'Target.detachedFromTarget') {
      this.#detachChildren(params.sessionId, route)
      route.sessions.delete(params.sessionId)
      this.#sessions.delete(params.sessionId)
    }
  }

  /**
   * Announces that the sessions below a detached one are detached. Chromium detaches them without
   * an event, and Puppeteer would wait for the responses to their commands.
   */
  #detachChildren(parent: string, { receive, sessions }: SessionRoute): void {
    for (const cdpSessionId of sessions) {
      const origin = this.#sessions.get(cdpSessionId)?.origin
      if (origin?.parent !== parent) continue
      this.#detachChildren(cdpSessionId, { receive, isRoot: false, sessions })
      sessions.delete(cdpSessionId)
      this.#sessions.delete(cdpSessionId)
      const params = { sessionId: cdpSessionId, targetId: origin.targetId }
      receive(Buffer.from(JSON.stringify({ method: 'Target.detachedFromTarget', params, sessionId: parent })))
    }
  }

  #receiveForServer(message: Buffer): void {
    const id = responseId(message)
    if (id === undefined) return this.#receiveEvent(message)
    const pending = this.#pending.get(id)
    if (pending === undefined) return
    const { method, budget } = pending
    if (message.length > budget.bytes) {
      this.#pending.delete(id)
      return pending.reject(new OversizedResult(method, message.length, budget.bytes))
    }
    const { result, error } = JSON.parse(message.toString()) as CdpResponse
    this.#pending.delete(id)
    budget.bytes -= message.length
    if (error === undefined) pending.resolve(result ?? {})
    else pending.reject(new BowlineError('CDP_FAILED', `${method}: ${error.message}`))
  }

  #receiveEvent(message: Buffer): void {
    if (isOversizedEvent(message)) return
    const event = JSON.parse(message.toString()) as CdpEvent
    this.#followServerTargets(event)
    for (const listener of this.#listeners) listener(event)
  }

  #followServerTargets({ method, params }: CdpEvent): void {
    if (method === 'Target.attachedToTarget') this.#serverSessions.add(params.sessionId)
    else if (method === 'Target.detachedFromTarget') this.#serverSessions.delete(params.sessionId)
  }

  #failPending(): void {
    this.#isClosed = true
    for (const pending of this.#pending.values()) pending.reject(browserGone(pending.method))
    this.#pending.clear()
    this.#sessions.clear()
  }
}

/**
 * Command ids of `callInClientSession` start here. Clients may not use them. Chromium accepts
 * 32-bit ids.
 */
export const firstReservedId = 2_000_000_000

function browserGone(method: string): BowlineError {
  return new BowlineError('CDP_FAILED', `${method}: the browser is gone`)
}
