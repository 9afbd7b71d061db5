import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import type { ResumedEvent } from '../contract/resume.ts'
import { messageOf } from '../kit/message-of.ts'
import { ResumableSender } from '../kit/resumable-sender.ts'
import { HandshakeRefused, openCdpSocket, type CdpSocket } from './cdp-socket.ts'

/** A connection that carries CDP. */
export interface CdpConnection {
  readonly send: (message: string) => void
  readonly close: () => void
}

/** Callbacks of a connection. */
export interface CdpListener {
  readonly onMessage: (message: string) => void
  /** Called once when the connection has ended. `code`: of the close frame; 1006 without one. */
  readonly onClose: (code: number, reason: string) => void
}

/** Close codes after which another WebSocket can resume: no close frame, service restart. */
const resumableCodes: ReadonlySet<number> = new Set([1006, 1012])

/** Delay between attempts to resume, in milliseconds. Doubles up to the maximum. */
const firstDelayMs = 50
const maxDelayMs = 1000

/** Time for the handshake of one attempt, in milliseconds. */
const attemptTimeoutMs = 5000

/** Services ping every 20 s. Without a sign of life for longer, the connection counts as lost. */
const silenceTimeoutMs = 50_000

/**
 * Connects to a CDP URL. If the connection is lost and the service keeps it, resumes it without
 * losing or repeating a message. `timeoutMs` limits the first handshake. Default: 30000. Rejects
 * with the error of the service if it refuses the connection.
 */
export async function openCdpConnection(
  url: string,
  listener: CdpListener,
  timeoutMs = 30_000,
): Promise<CdpConnection> {
  const connection = new ResumableConnection(url, listener)
  await connection.open(timeoutMs)
  return connection
}

class ResumableConnection implements CdpConnection {
  readonly #url: string
  readonly #listener: CdpListener
  readonly #key = randomUUID()
  readonly #sender = new ResumableSender()
  #webSocket: WebSocket | undefined
  #resumeSeconds = 0
  #received = 0
  /** When the connection was lost, until it has been resumed. */
  #lostAtMs: number | undefined
  #lastSignMs = performance.now()
  #isClosing = false
  #hasEnded = false
  #watch: NodeJS.Timeout | undefined

  constructor(url: string, listener: CdpListener) {
    this.#url = url
    this.#listener = listener
  }

  async open(timeoutMs: number): Promise<void> {
    const { webSocket, resumeSeconds } = await this.#dial({ resume: this.#key }, timeoutMs)
    this.#resumeSeconds = resumeSeconds
    if (resumeSeconds === 0) return
    this.#sender.attach(webSocket, 0)
    this.#watch = setInterval(() => this.#checkSilence(), silenceTimeoutMs / 5).unref()
  }

  readonly send = (message: string): void => {
    if (this.#resumeSeconds === 0) this.#webSocket?.send(message)
    else this.#sender.send(message)
  }

  readonly close = (): void => {
    this.#isClosing = true
    if (this.#webSocket === undefined) this.#end(1000, '')
    else this.#webSocket.close()
  }

  async #dial(params: Readonly<Record<string, string>>, timeoutMs: number): Promise<CdpSocket> {
    const url = new URL(this.#url)
    for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
    const listener = {
      onMessage: (text: string, webSocket: WebSocket) => this.#receive(text, webSocket),
      onClose: (code: number, reason: string) => void this.#lose(code, reason),
    }
    const opened = await openCdpSocket(url.href, listener, timeoutMs)
    const { webSocket } = opened
    webSocket.on('ping', () => this.#markAlive())
    this.#markAlive()
    this.#webSocket = webSocket
    if (this.#isClosing) webSocket.close()
    return opened
  }

  #receive(text: string, webSocket: WebSocket): void {
    this.#markAlive()
    if (this.#lostAtMs !== undefined) return this.#continue(text, webSocket)
    this.#received += 1
    this.#listener.onMessage(text)
  }

  /** Continues after `Bowline.resumed`, the first message on another WebSocket. */
  #continue(text: string, webSocket: WebSocket): void {
    const { params } = JSON.parse(text) as { readonly params: ResumedEvent }
    this.#lostAtMs = undefined
    this.#sender.attach(webSocket, params.received)
  }

  async #lose(code: number, reason: string): Promise<void> {
    this.#webSocket = undefined
    this.#sender.detach()
    if (this.#isClosing || this.#resumeSeconds === 0 || !resumableCodes.has(code)) return this.#end(code, reason)
    // The last attempt was accepted, but did not get as far as `Bowline.resumed`.
    if (this.#lostAtMs !== undefined) await sleep(firstDelayMs)
    this.#lostAtMs ??= performance.now()
    const deadlineMs = this.#lostAtMs + this.#resumeSeconds * 1000
    const params = { resume: this.#key, received: String(this.#received) }
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
      try {
        await this.#dial(params, attemptTimeoutMs)
        return
      } catch (error) {
        if (this.#isClosing) return
        if (isFinal(error) || performance.now() > deadlineMs) return this.#end(code, messageOf(error))
      }
      await sleep(delayMs)
      if (this.#isClosing) return
    }
  }

  #end(code: number, reason: string): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#isClosing = true
    clearInterval(this.#watch)
    this.#sender[Symbol.dispose]()
    this.#listener.onClose(code, reason)
  }

  #markAlive(): void {
    this.#lastSignMs = performance.now()
  }

  #checkSilence(): void {
    if (performance.now() - this.#lastSignMs > silenceTimeoutMs) this.#webSocket?.terminate()
  }
}

/** Whether another attempt would be refused as well. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof HandshakeRefused && error.status >= 400 && error.status < 500 && ![408, 429].includes(error.status)
  )
}
