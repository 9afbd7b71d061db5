import type { Socket } from 'node:net'
import { ResumableSender } from 'bowline/kit/resumable-sender'
import type { RawData, WebSocket } from 'ws'
import { closeCodes, type CloseReason } from 'bowline/contract/close-codes'
import { resumedMethod, type ResumedEvent } from 'bowline/contract/resume'

/** A WebSocket of a client, and the socket below it. */
export interface ClientSocket {
  readonly webSocket: WebSocket
  readonly socket: Socket
}

/** Receives what happens on a connection. */
export interface ConnectionListener {
  readonly onMessage: (message: Buffer) => void
  /** Called when the client responded to a ping, or resumed the connection. */
  readonly onAlive: () => void
  /** Called when nothing is buffered for the client any more. */
  readonly onDrain: () => void
  /** Called with errors of its WebSockets. */
  readonly onError: (error: Error) => void
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
  #current: ClientSocket | undefined
  #received = 0
  #isClosing = false
  #hasEnded = false
  #resumeTimer: NodeJS.Timeout | undefined

  /** `resumeMs`: time to resume it. 0: it ends with its WebSocket. */
  constructor(resumeMs: number) {
    this.#resumeMs = resumeMs
    this.#sender = resumeMs === 0 ? undefined : new ResumableSender()
  }

  /** Begins with the first WebSocket. */
  start(socket: ClientSocket, listener: ConnectionListener): void {
    this.#listener = listener
    this.#sender?.attach(socket.webSocket, 0)
    this.#attach(socket)
  }

  /** Whether a client that has received `received` messages can resume it. */
  canResumeAt(received: number): boolean {
    return !this.#isClosing && !this.#hasEnded && this.#sender?.canResumeAt(received) === true
  }

  /** Continues on another WebSocket. The former one may not know yet that it is lost. */
  resume(socket: ClientSocket, received: number): void {
    const former = this.#current
    this.#current = undefined
    former?.webSocket.terminate()
    clearTimeout(this.#resumeTimer)
    const params: ResumedEvent = { received: this.#received }
    socket.webSocket.send(JSON.stringify({ method: resumedMethod, params }))
    this.#sender?.attach(socket.webSocket, received)
    this.#attach(socket)
    this.#listener?.onAlive()
    if (!socket.socket.writableNeedDrain) this.#listener?.onDrain()
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
    return this.#current?.webSocket.bufferedAmount ?? this.#sender?.unacknowledgedBytes ?? 0
  }

  send(message: Buffer): void {
    if (!this.isOpen) return
    if (this.#sender === undefined) this.#current?.webSocket.send(message, { binary: false })
    else this.#sender.send(message)
  }

  ping(): void {
    const { webSocket } = this.#current ?? {}
    if (webSocket?.readyState === webSocket?.OPEN) webSocket?.ping()
  }

  /** Stops reading from the client until `resumeReading`. */
  pauseReading(): void {
    this.#current?.webSocket.pause()
  }

  resumeReading(): void {
    if (this.#current?.webSocket.isPaused === true) this.#current.webSocket.resume()
  }

  /**
   * Sends a close frame with the reason. Terminates the WebSocket if the client does not respond
   * within 2 s, or 20 s if it was too slow.
   */
  close(reason: CloseReason): void {
    this.#isClosing = true
    if (this.#current === undefined) return this.#end()
    const { webSocket } = this.#current
    webSocket.close(closeCodes[reason], reason)
    setTimeout(() => webSocket.terminate(), reason === 'lagging' ? lagCloseTimeoutMs : closeTimeoutMs).unref()
  }

  #attach(client: ClientSocket): void {
    const { webSocket, socket } = client
    this.#current = client
    const ifCurrent = (handle: () => void) => () => void (this.#current === client && handle())
    webSocket.on('message', (data: RawData) => {
      if (this.#current !== client) return
      this.#received += 1
      // `ws` passes text messages as a Buffer by default.
      this.#listener?.onMessage(data as Buffer)
    })
    webSocket.on(
      'pong',
      ifCurrent(() => this.#listener?.onAlive()),
    )
    webSocket.on('error', (error) => {
      // A client that violates the protocol does so again.
      this.#isClosing = true
      this.#listener?.onError(error)
    })
    webSocket.on('close', (code) => {
      if (this.#current === client) this.#lose(code)
    })
    socket.on(
      'drain',
      ifCurrent(() => this.#listener?.onDrain()),
    )
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
    this.#sender?.[Symbol.dispose]()
    this.#listener?.onEnd()
  }
}
