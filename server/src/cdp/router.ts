import { BowlineError } from 'bowline/kit/errors'
import { isTargetEvent, sessionIdAtTail, withoutSessionId, type CdpCommand, type CdpIncoming } from './message.ts'
import type { CdpPipe } from './pipe.ts'

/** Receives messages of the browser for one client. The receiver owns the buffer. */
export type Receive = (message: Buffer) => void

/**
 * One client's connection to a shared browser: its own browser-level session and every session
 * announced to it.
 */
export interface CdpChannel extends AsyncDisposable {
  /** Target id of the browser-level session. */
  readonly browserTargetId: string
  /**
   * Sends a command. `unknown-session`: its `sessionId` does not belong to this channel. `full`:
   * the command was sent, but the pipe is full; send nothing more until `router.onDrain` calls.
   */
  readonly send: (command: CdpCommand) => 'sent' | 'full' | 'unknown-session'
  /** Whether the session was announced to this channel. */
  readonly includes: (sessionId: string) => boolean
}

/** Shares one browser pipe between the server and any number of clients. */
export interface CdpRouter {
  /**
   * Sends a command of the server, to the browser or to a session from `Target.attachToTarget`.
   * Rejects with CDP_FAILED if the browser returns an error or is gone.
   */
  readonly call: (method: string, params?: object, sessionId?: string) => Promise<Readonly<Record<string, unknown>>>
  /**
   * Sends a command to a session of a client. The client does not see the response. Rejects as
   * `call` does.
   */
  readonly callInClientSession: (
    method: string,
    params: object,
    sessionId: string,
  ) => Promise<Readonly<Record<string, unknown>>>
  /**
   * Calls the listener with every event of the server's own sessions. Returns a function that
   * removes it.
   */
  readonly onEvent: (listener: (event: CdpIncoming) => void) => () => void
  /** Opens a channel for one client. */
  readonly openChannel: (receive: Receive) => Promise<CdpChannel>
  readonly onDrain: (listener: () => void) => () => void
  readonly pause: () => void
  readonly resume: () => void
  readonly isPaused: () => boolean
  /** Time of the last message from the browser, by `performance.now()`. */
  readonly lastMessageMs: () => number
  /** Resolves when the browser is gone. */
  readonly closed: Promise<void>
}

interface Pending {
  readonly method: string
  readonly resolve: (result: Readonly<Record<string, unknown>>) => void
  readonly reject: (error: Error) => void
}

/**
 * Where messages of one session go. `isRoot`: the channel's browser-level session, whose id the
 * client never sees.
 */
interface SessionRoute {
  readonly receive: Receive
  readonly isRoot: boolean
  readonly sessions: Set<string>
}

/** Routes the messages of a pipe, after `rewrite` has changed them. Only one router per pipe. */
export function routePipe(pipe: CdpPipe, rewrite?: (message: Buffer) => Buffer): CdpRouter {
  return new PipeRouter(pipe, rewrite)
}

class PipeRouter implements CdpRouter {
  readonly closed: Promise<void>
  readonly #pipe: CdpPipe
  /** Sessions of clients, by id. */
  readonly #sessions = new Map<string, SessionRoute>()
  /** Ids of the server's sessions. */
  readonly #serverSessions = new Set<string>()
  readonly #pending = new Map<number, Pending>()
  readonly #listeners = new Set<(event: CdpIncoming) => void>()
  readonly #drainListeners = new Set<() => void>()
  #lastId = 0
  /** Ids of commands sent by `callInClientSession` that await a response. */
  readonly #clientCallIds = new Set<number>()
  #lastReservedId = 0
  #isClosed = false
  #isPaused = false
  #lastMessageMs = performance.now()

  constructor(pipe: CdpPipe, rewrite: ((message: Buffer) => Buffer) | undefined) {
    this.#pipe = pipe
    pipe.onMessage((message) => this.#route(rewrite === undefined ? message : rewrite(message)))
    pipe.onDrain(() => {
      for (const listener of this.#drainListeners) listener()
    })
    this.closed = pipe.closed.then(() => this.#failPending())
  }

  readonly call = async (
    method: string,
    params: object = {},
    sessionId?: string,
  ): Promise<Readonly<Record<string, unknown>>> => {
    if (this.#isClosed) throw browserGone(method)
    const id = ++this.#lastId
    const answer = Promise.withResolvers<Readonly<Record<string, unknown>>>()
    this.#pending.set(id, { method, resolve: answer.resolve, reject: answer.reject })
    this.#pipe.send(JSON.stringify({ id, method, params, sessionId }))
    return answer.promise
  }

  readonly callInClientSession: CdpRouter['callInClientSession'] = async (method, params, sessionId) => {
    if (this.#isClosed) throw browserGone(method)
    const id = firstReservedId + ++this.#lastReservedId
    const answer = Promise.withResolvers<Readonly<Record<string, unknown>>>()
    this.#pending.set(id, { method, resolve: answer.resolve, reject: answer.reject })
    this.#clientCallIds.add(id)
    this.#pipe.send(JSON.stringify({ id, method, params, sessionId }))
    return answer.promise
  }

  readonly onEvent = (listener: (event: CdpIncoming) => void): (() => void) => {
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
  readonly lastMessageMs = (): number => this.#lastMessageMs

  readonly openChannel = async (receive: Receive): Promise<CdpChannel> => {
    const { sessionId } = (await this.call('Target.attachToBrowserTarget')) as { sessionId: string }
    const { targetInfo } = await this.call('Target.getTargetInfo', {}, sessionId)
    const sessions = new Set([sessionId])
    this.#sessions.set(sessionId, { receive, isRoot: true, sessions })
    return {
      browserTargetId: (targetInfo as { targetId: string }).targetId,
      includes: (id) => sessions.has(id) && id !== sessionId,
      send: (command) => {
        const target = command.sessionId ?? sessionId
        if (!sessions.has(target) || command.sessionId === sessionId) return 'unknown-session'
        const { id, method, params } = command
        return this.#pipe.send(JSON.stringify({ id, method, params, sessionId: target })) ? 'sent' : 'full'
      },
      [Symbol.asyncDispose]: async () => {
        for (const id of sessions) this.#sessions.delete(id)
        sessions.clear()
        // If the browser is gone, there is nothing to detach from.
        await this.call('Target.detachFromTarget', { sessionId }).catch(() => undefined)
      },
    }
  }

  #route(message: Buffer): void {
    this.#lastMessageMs = performance.now()
    const sessionId = sessionIdAtTail(message)
    const route = sessionId === undefined ? undefined : this.#sessions.get(sessionId)
    if (route === undefined) {
      // A session without an owner belonged to a client that disconnected: its late messages are
      // dropped.
      if (sessionId === undefined || this.#serverSessions.has(sessionId)) this.#receiveForServer(message)
      return
    }
    if (this.#clientCallIds.size > 0 && this.#isClientCall(message)) return this.#receiveForServer(message)
    if (isTargetEvent(message)) this.#followTargets(message, route)
    route.receive(route.isRoot ? withoutSessionId(message) : message)
  }

  /** Whether a message is the response to a command of `callInClientSession`. */
  #isClientCall(message: Buffer): boolean {
    const id = Number(/^{"id":(\d+)[,}]/.exec(message.toString('latin1', 0, 24))?.[1])
    return this.#clientCallIds.delete(id)
  }

  /** A session announced to a client belongs to that client until the browser detaches it. */
  #followTargets(message: Buffer, route: SessionRoute): void {
    const event = JSON.parse(message.toString()) as { method: string; params?: { sessionId?: string } }
    const child = event.params?.sessionId
    if (child === undefined) return
    if (event.method === 'Target.attachedToTarget') {
      route.sessions.add(child)
      this.#sessions.set(child, { ...route, isRoot: false })
    } else if (event.method === 'Target.detachedFromTarget') {
      route.sessions.delete(child)
      this.#sessions.delete(child)
    }
  }

  #receiveForServer(message: Buffer): void {
    const incoming = JSON.parse(message.toString()) as CdpIncoming
    if (incoming.id === undefined) {
      this.#followServerTargets(incoming)
      for (const listener of this.#listeners) listener(incoming)
      return
    }
    const pending = this.#pending.get(incoming.id)
    if (pending === undefined) return
    this.#pending.delete(incoming.id)
    if (incoming.error === undefined) pending.resolve(incoming.result ?? {})
    else pending.reject(new BowlineError('CDP_FAILED', `${pending.method}: ${incoming.error.message}`))
  }

  #followServerTargets(event: CdpIncoming): void {
    const child = event.params?.['sessionId']
    if (typeof child !== 'string') return
    if (event.method === 'Target.attachedToTarget') this.#serverSessions.add(child)
    else if (event.method === 'Target.detachedFromTarget') this.#serverSessions.delete(child)
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
