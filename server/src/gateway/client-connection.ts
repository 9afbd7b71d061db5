import { ResumableSender, type ResumableSenderOptions } from 'bowline/kit/resumable-sender'
import { closeCodes, type CloseReason } from 'bowline/contract/close-codes'
import { resumedMethod, type ResumedEvent } from 'bowline/contract/resume'
import type { ServerWebSocket } from './web-socket.ts'

/** Receives what happens on a connection. */
export interface ConnectionListener {
  readonly onMessage: (message: Buffer) => void
  /** Called when the client responded to a ping, or resumed the connection. */
  readonly onAlive: () => void
  /** Called when nothing is buffered for the client any more. */
  readonly onDrain: () => void
  /** Called once when the client has left, or did not resume the connection in time. */
  readonly onEnd: () => void
}

/** Close code of WebSockets whose connection was lost without a close frame. */
const lostCode = 1006

/** Time to read what is buffered and the close frame, before the connection is terminated. */
const closeTimeoutMs = 2000

/** The same for a client that was too slow. No other client waits for it at that point. */
const lagCloseTimeoutMs = 20_000

/**
 * The connection of one CDP client. A client that asked for it may lose its WebSocket and resume
 * the connection with another one: messages that it has not received are sent again, and it learns
 * how many of its own were received.
 */
export class ClientConnection {
  readonly #resumeMs: number
  readonly #sender: ResumableSender | undefined
  #listener: ConnectionListener | undefined
  #current: ServerWebSocket | undefined
  #received = 0
  #isClosing = false
  #hasEnded = false
  #resumeTimer: NodeJS.Timeout | undefined
  /** Set while `pauseFor` pauses reading. */
  #pauseTimer: NodeJS.Timeout | undefined
  /** Whether reading is paused until `resumeReading`. */
  #isHeld = false

  /** `resumeMs`: time to resume it. 0: it ends with its WebSocket. */
  constructor(resumeMs: number, options: ResumableSenderOptions) {
    this.#resumeMs = resumeMs
    this.#sender = resumeMs === 0 ? undefined : new ResumableSender(options)
  }

  /** Begins with the first WebSocket. */
  start(webSocket: ServerWebSocket, listener: ConnectionListener): void {
    this.#listener = listener
    this.#sender?.attach(webSocket, 0)
    this.#attach(webSocket)
  }

  /** Whether a client that has received `received` messages can resume it. */
  canResumeAt(received: number): boolean {
    return !this.#isClosing && !this.#hasEnded && this.#sender?.canResumeAt(received) === true
  }

  /** Continues on another WebSocket. The former one may not know yet that it is lost. */
  resume(webSocket: ServerWebSocket, received: number): void {
    const former = this.#current
    this.#current = undefined
    former?.terminate()
    clearTimeout(this.#resumeTimer)
    const params: ResumedEvent = { received: this.#received }
    webSocket.send(JSON.stringify({ method: resumedMethod, params }))
    this.#sender?.attach(webSocket, received)
    this.#attach(webSocket)
    this.#listener?.onAlive()
    if (!webSocket.needsDrain) this.#listener?.onDrain()
  }

  /** Whether messages can be sent, at once or when the client has resumed. */
  get isOpen(): boolean {
    return !this.#isClosing && !this.#hasEnded
  }

  /** Whether the client has lost its WebSocket and may resume. */
  get isLost(): boolean {
    return this.#current === undefined && !this.#hasEnded
  }

  /** Bytes that wait for the client. */
  get bufferedBytes(): number {
    return this.#current?.bufferedAmount ?? this.#sender?.unacknowledgedBytes ?? 0
  }

  send(message: Buffer): void {
    if (!this.isOpen) return
    if (this.#sender === undefined) this.#current?.send(message)
    else this.#sender.send(message)
  }

  ping(): void {
    this.#current?.ping()
  }

  /** Stops reading from the client until `resumeReading`. */
  pauseReading(): void {
    this.#isHeld = true
    this.#current?.pause()
  }

  resumeReading(): void {
    this.#isHeld = false
    if (this.#pauseTimer === undefined && this.#current?.isPaused === true) this.#current.resume()
  }

  /** Stops reading from the client for a time, also if it resumes with another WebSocket. */
  pauseFor(ms: number): void {
    if (this.#isClosing || this.#hasEnded) return
    clearTimeout(this.#pauseTimer)
    this.#current?.pause()
    this.#pauseTimer = setTimeout(() => this.#endPause(), ms).unref()
  }

  #endPause(): void {
    clearTimeout(this.#pauseTimer)
    this.#pauseTimer = undefined
    if (!this.#isHeld) this.resumeReading()
  }

  /**
   * Sends a close frame with the reason. Terminates the WebSocket if the client does not respond
   * within 2 s, or 20 s if it was too slow.
   */
  close(reason: CloseReason): void {
    this.#isClosing = true
    if (this.#current === undefined) return this.#end()
    const webSocket = this.#current
    // A paused socket would never receive the client's close frame.
    this.#isHeld = false
    this.#endPause()
    webSocket.close(closeCodes[reason], reason)
    setTimeout(() => webSocket.terminate(), reason === 'lagging' ? lagCloseTimeoutMs : closeTimeoutMs).unref()
  }

  /** Ends the connection without a close frame. */
  terminate(): void {
    this.#isClosing = true
    if (this.#current === undefined) this.#end()
    else this.#current.terminate()
  }

  #attach(webSocket: ServerWebSocket): void {
    this.#current = webSocket
    if (this.#isHeld || this.#pauseTimer !== undefined) webSocket.pause()
    const ifCurrent = (handle: () => void) => () => void (this.#current === webSocket && handle())
    webSocket.on('message', (message) => {
      if (this.#current !== webSocket || this.#isClosing) return
      this.#received += 1
      this.#listener?.onMessage(message)
    })
    webSocket.on(
      'pong',
      ifCurrent(() => this.#listener?.onAlive()),
    )
    webSocket.on(
      'drain',
      ifCurrent(() => this.#listener?.onDrain()),
    )
    // A client that violates the protocol does so again.
    webSocket.on('error', () => {
      this.#isClosing = true
    })
    webSocket.on('close', (code) => {
      if (this.#current === webSocket) this.#lose(code)
    })
  }

  #lose(code: number): void {
    if (code !== lostCode || this.#isClosing || this.#sender === undefined) return this.#end()
    this.#current = undefined
    this.#sender.detach()
    this.#resumeTimer = setTimeout(() => this.#end(), this.#resumeMs).unref()
  }

  #end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#current = undefined
    clearTimeout(this.#resumeTimer)
    clearTimeout(this.#pauseTimer)
    this.#sender?.[Symbol.dispose]()
    this.#listener?.onEnd()
  }
}
