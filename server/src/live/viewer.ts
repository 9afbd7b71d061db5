import type { WebSocket } from 'ws'
import type { Frame } from '../cdp/screencast.ts'
import { encodeFrame } from './frame.ts'
import { MessageRate } from './message-rate.ts'
import { parseViewerMessage } from './parse-viewer-message.ts'
import { QualityGauge } from './quality.ts'
import { RoundTrip } from './round-trip.ts'
import type { ServerMessage } from './server-message.ts'
import { bytesPerViewer, ViewerBuffers } from './viewer-buffers.ts'
import { interactMessage, viewMessage, type InteractMessage, type ViewMessage } from './viewer-message.ts'

/** Callbacks for a viewer's messages. */
export interface ViewerEvents {
  /** The viewer selected a tab, or the active one (`null`). */
  readonly onShow: (tab: string | null) => void
  /** The size or visibility of the viewer's window changed. */
  readonly onViewport: () => void
  /** `bytes`: size of the message. */
  readonly onInteract: (message: InteractMessage, bytes: number) => void
  /** The viewer wants the console messages and requests of the session, or no longer. */
  readonly onInspect: (isOn: boolean) => void
  /** The viewer can receive a frame again. */
  readonly onReady: () => void
  /** The quality level for the viewer's connection changed. */
  readonly onQuality: () => void
  /** A view-only viewer sent input. */
  readonly onRefused: () => void
  /** A message of the viewer could not be handled, or a frame could not be sent to it. */
  readonly onError: (error: unknown) => void
}

/** Frames that may be unacknowledged. Two keep a connection busy; more only add latency. */
const maxFramesInFlight = 2

/** Bytes buffered in the socket above which no further frames are sent. */
const highWaterBytes = 4 * 1024 * 1024

/**
 * Bytes buffered in the socket above which only the newest state is kept. Pages can open any number
 * of tabs and dialogs, and viewers may not read.
 */
const maxUnreadBytes = 256 * 1024

/** Bytes buffered in the socket above which a viewer is disconnected. */
const maxBufferedBytes = 16 * 1024 * 1024

/** Refused messages of a view-only viewer after which its socket is closed. */
const maxRefusals = 1000

const viewerTimeoutMs = 60_000

/**
 * Time after which a viewer to which nothing could be sent is disconnected, if others wait for the
 * memory.
 */
const stalledMs = 10_000

/** The WebSocket connection of one live view page. */
export class Viewer {
  readonly isInteractive: boolean
  readonly roundTrip: RoundTrip
  /** Id of the tab that the viewer selected. `undefined`: it follows the active one. */
  pinned: string | undefined
  /** Id of the tab whose frames it receives. */
  shown: string | undefined
  isVisible = true
  width = 1280
  height = 800
  #minFrameIntervalMs = 0
  /** Set while frames are paused to keep the requested interval. */
  #pauseTimer: NodeJS.Timeout | undefined
  readonly #webSocket: WebSocket
  readonly #events: ViewerEvents
  readonly #buffers: ViewerBuffers
  readonly #rate = new MessageRate(performance.now())
  readonly #gauge = new QualityGauge()
  readonly #inFlight = new Map<number, number>()
  #nextFrame: Frame | undefined
  /** The newest states that wait to be sent, by type. */
  readonly #nextStates = new Map<string, Buffer>()
  #lastNumber = 0
  #refusals = 0
  #lastMessageMs = performance.now()
  /** Time since which the oldest buffered bytes wait, or at which the last ones were sent. */
  #waitingSinceMs = 0

  constructor(webSocket: WebSocket, isInteractive: boolean, events: ViewerEvents, buffers = new ViewerBuffers()) {
    this.isInteractive = isInteractive
    this.#webSocket = webSocket
    this.#events = events
    this.#buffers = buffers
    this.roundTrip = new RoundTrip(webSocket)
    webSocket.on('message', (data, isBinary) => this.#attempt(() => this.#receive(data as Buffer, isBinary)))
    webSocket.on('pong', () => this.#markAlive())
    webSocket.once('close', buffers.add(this.#continueFrames))
  }

  /** Index into `qualities` that suits its connection. */
  get level(): number {
    return this.#gauge.level
  }

  /** Whether the viewer can receive a further frame. */
  get isReady(): boolean {
    return this.isVisible && this.#nextFrame === undefined && this.#hasRoom()
  }

  /** Whether so much is buffered that only the newest state is kept. */
  get isUnread(): boolean {
    const { bufferedAmount } = this.#webSocket
    return bufferedAmount > maxUnreadBytes || (bufferedAmount > 0 && this.#buffers.isFull)
  }

  /** Sends a frame. While too many are in flight or it is hidden, keeps the newest for later. */
  queueFrame(frame: Frame): void {
    if (this.isVisible && this.#hasRoom(frame.image.length)) this.#sendFrame(frame)
    else this.#nextFrame = frame
  }

  /**
   * Sends a message. While too much is buffered, keeps only the newest one about tabs, the dialog,
   * choices and hand-offs for later. Terminates the connection of a viewer that does not read.
   * `encoded`: the message, if several viewers receive it.
   */
  notify(message: ServerMessage, encoded = encodeMessage(message)): void {
    const { bufferedAmount, readyState, OPEN } = this.#webSocket
    if (readyState !== OPEN) return
    if (bufferedAmount > maxBufferedBytes) this.#webSocket.terminate()
    else if (isState(message) && this.isUnread) this.#nextStates.set(message.type, encoded)
    else {
      this.#nextStates.delete(message.type)
      this.#send(encoded, { isBinary: false })
    }
  }

  /**
   * Pings the viewer. Terminates its connection after a minute without any message, or if it keeps
   * memory that others need.
   */
  checkAlive(nowMs: number): void {
    const isStalled = this.#webSocket.bufferedAmount > 0 && nowMs - this.#waitingSinceMs > stalledMs
    if (nowMs - this.#lastMessageMs > viewerTimeoutMs || (isStalled && this.#buffers.isFull))
      this.#webSocket.terminate()
    else this.roundTrip.ping()
    this.notify({ type: 'heartbeat' })
  }

  close(code: number, reason: string): void {
    this.#webSocket.close(code, reason)
    setTimeout(() => this.#webSocket.terminate(), 2000).unref()
  }

  /** Drops the queued frame of the previous tab. */
  forgetFrames(): void {
    this.#nextFrame = undefined
  }

  #hasRoom(bytes = 0): boolean {
    const { bufferedAmount } = this.#webSocket
    return (
      this.#pauseTimer === undefined &&
      this.#inFlight.size < maxFramesInFlight &&
      bufferedAmount < highWaterBytes &&
      (bufferedAmount + bytes < bytesPerViewer || !this.#buffers.isFull)
    )
  }

  /** Sends the messages that were kept, now that a part of the buffered ones is sent. */
  #sendStates(): void {
    for (const [type, encoded] of this.#nextStates) {
      if (this.isUnread) return
      this.#nextStates.delete(type)
      this.#send(encoded, { isBinary: false })
    }
  }

  #send(data: Buffer, { isBinary }: { readonly isBinary: boolean }): void {
    if (this.#webSocket.bufferedAmount === 0) this.#waitingSinceMs = performance.now()
    const release = this.#buffers.reserve(data.length)
    this.#webSocket.send(data, { binary: isBinary }, () => {
      this.#waitingSinceMs = performance.now()
      release()
      this.#attempt(() => this.#sendStates())
    })
  }

  #markAlive(): void {
    this.#lastMessageMs = performance.now()
  }

  #sendFrame(frame: Frame): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return
    this.#lastNumber += 1
    this.#inFlight.set(this.#lastNumber, performance.now())
    this.#send(encodeFrame(frame, this.#lastNumber), { isBinary: true })
    if (this.#minFrameIntervalMs > 0) this.#pauseTimer = setTimeout(this.#endPause, this.#minFrameIntervalMs).unref()
  }

  readonly #endPause = (): void => {
    this.#pauseTimer = undefined
    this.#continueFrames()
  }

  /** Sends the queued frame and requests the next one. */
  readonly #continueFrames = (): void => {
    this.#attempt(() => {
      this.#sendWaiting()
      this.#events.onReady()
    })
  }

  /** Runs a handler of the socket or of a timer. Uncaught, its error would end the server. */
  #attempt(handle: () => void): void {
    try {
      handle()
    } catch (error) {
      this.#events.onError(error)
    }
  }

  #sendWaiting(): void {
    const nextFrame = this.#nextFrame
    if (nextFrame === undefined || !this.isVisible || !this.#hasRoom(nextFrame.image.length)) return
    this.#nextFrame = undefined
    this.#sendFrame(nextFrame)
  }

  #onFrameDrawn(number: number): void {
    const sentMs = this.#inFlight.get(number)
    if (sentMs === undefined) return
    // A drawn frame also acknowledges all frames before it.
    for (const sent of this.#inFlight.keys()) if (sent <= number) this.#inFlight.delete(sent)
    const drawn = { sentMs, drawnMs: performance.now(), roundTripMs: this.roundTrip.ms }
    const hasChanged = this.isVisible && this.#gauge.addFrame(drawn)
    this.#sendWaiting()
    if (hasChanged) this.#events.onQuality()
    this.#events.onReady()
  }

  #receive(data: Buffer, isBinary: boolean): void {
    this.#markAlive()
    const pauseMs = this.#rate.add(performance.now(), data.length)
    if (pauseMs > 0 && !this.#webSocket.isPaused) this.#pauseReading(pauseMs)
    const message = isBinary ? undefined : parseViewerMessage(data, this.isInteractive)
    const view = viewMessage.safeParse(message)
    if (view.success) {
      this.#handleViewMessage(view.data)
      return
    }
    if (!this.isInteractive) return this.#rejectInput()
    const interact = interactMessage.safeParse(message)
    if (interact.success) this.#events.onInteract(interact.data, data.length)
    else this.notify({ type: 'notice', text: 'Invalid input message' })
  }

  #pauseReading(pauseMs: number): void {
    this.#webSocket.pause()
    setTimeout(() => this.#webSocket.resume(), pauseMs).unref()
  }

  #handleViewMessage(message: ViewMessage): void {
    switch (message.type) {
      case 'drawn':
        return this.#onFrameDrawn(message.frame)
      case 'show':
        return this.#events.onShow(message.tab)
      case 'inspect':
        return this.isInteractive ? this.#events.onInspect(message.isOn) : this.#rejectInput()
      case 'viewport':
        this.isVisible = message.isVisible
        this.width = message.width
        this.height = message.height
        this.#minFrameIntervalMs = message.minFrameIntervalMs
        this.#sendWaiting()
        return this.#events.onViewport()
    }
    message satisfies never
  }

  #rejectInput(): void {
    this.#refusals += 1
    this.#events.onRefused()
    if (this.#refusals === 1) this.notify({ type: 'notice', text: 'This link is view-only' })
    if (this.#refusals === maxRefusals) this.close(1008, 'view only')
  }
}

/** Encodes a message for `Viewer.notify`. */
export function encodeMessage(message: ServerMessage): Buffer {
  return Buffer.from(JSON.stringify(message))
}

/** Whether a message replaces the earlier ones of its type. */
function isState({ type }: ServerMessage): boolean {
  return type === 'tabs' || type === 'dialog' || type === 'choices' || type === 'handoffs'
}
