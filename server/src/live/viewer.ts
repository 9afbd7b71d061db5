import type { RawData, WebSocket } from 'ws'
import type { Frame } from '../cdp/screencast.ts'
import { encodeFrame } from './frame.ts'
import { QualityGauge } from './quality.ts'
import type { ServerMessage } from './server-message.ts'
import { interactMessage, viewMessage, type InteractMessage, type ViewMessage } from './viewer-message.ts'

/** Callbacks for a viewer's messages. */
export interface ViewerEvents {
  /** The viewer selected a tab, or the active one (`null`). */
  readonly onShow: (tab: string | null) => void
  /** The size or visibility of the viewer's window changed. */
  readonly onViewport: () => void
  readonly onInteract: (message: InteractMessage) => void
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

/** The WebSocket connection of one live view page. */
export class Viewer {
  readonly isInteractive: boolean
  /** Id of the tab that the viewer selected. `undefined`: it follows the active one. */
  pinned: string | undefined
  /** Id of the tab whose frames it receives. */
  shown: string | undefined
  isVisible = true
  width = 1280
  height = 800
  #everyMs = 0
  /** Set while frames are paused to keep the requested interval. */
  #pauseTimer: NodeJS.Timeout | undefined
  readonly #webSocket: WebSocket
  readonly #events: ViewerEvents
  readonly #gauge = new QualityGauge()
  readonly #inFlight = new Map<number, number>()
  #nextFrame: Frame | undefined
  readonly #nextStates = new Map<string, ServerMessage>()
  #lastNumber = 0
  #refusals = 0
  #lastMessageMs = performance.now()

  constructor(webSocket: WebSocket, isInteractive: boolean, events: ViewerEvents) {
    this.isInteractive = isInteractive
    this.#webSocket = webSocket
    this.#events = events
    webSocket.on('message', (data, isBinary) => this.#attempt(() => this.#receive(data, isBinary)))
    webSocket.on('pong', () => this.#markAlive())
  }

  /** Index into `qualities` that suits its connection. */
  get level(): number {
    return this.#gauge.level
  }

  /** Whether the viewer can receive a further frame. */
  get isReady(): boolean {
    return this.isVisible && this.#nextFrame === undefined && this.#hasRoom()
  }

  /** Sends a frame. While too many are in flight, keeps only the newest for later. */
  queueFrame(frame: Frame): void {
    if (this.#hasRoom()) this.#sendFrame(frame)
    else this.#nextFrame = frame
  }

  /**
   * Sends a message. While too much is buffered, keeps only the newest one about tabs, the dialog,
   * choices and hand-offs for later. Terminates the connection of a viewer that does not read.
   */
  notify(message: ServerMessage): void {
    const { bufferedAmount, readyState, OPEN } = this.#webSocket
    if (readyState !== OPEN) return
    if (bufferedAmount > maxBufferedBytes) this.#webSocket.terminate()
    else if (bufferedAmount > maxUnreadBytes && isState(message)) this.#nextStates.set(message.type, message)
    else {
      this.#nextStates.delete(message.type)
      this.#webSocket.send(JSON.stringify(message), this.#notifyOfStates)
    }
  }

  /** Pings the viewer, and terminates its connection after a minute without any message. */
  checkAlive(nowMs: number): void {
    if (nowMs - this.#lastMessageMs > viewerTimeoutMs) this.#webSocket.terminate()
    else if (this.#webSocket.readyState === this.#webSocket.OPEN) this.#webSocket.ping()
    this.notify({ type: 'beat' })
  }

  close(code: number, reason: string): void {
    this.#webSocket.close(code, reason)
    setTimeout(() => this.#webSocket.terminate(), 2000).unref()
  }

  /** Drops the queued frame of the previous tab. */
  forgetFrames(): void {
    this.#nextFrame = undefined
  }

  #hasRoom(): boolean {
    return (
      this.#pauseTimer === undefined &&
      this.#inFlight.size < maxFramesInFlight &&
      this.#webSocket.bufferedAmount < highWaterBytes
    )
  }

  /** Sends the messages that were kept, now that a part of the buffered ones is sent. */
  readonly #notifyOfStates = (): void => {
    if (this.#nextStates.size === 0 || this.#webSocket.bufferedAmount > maxUnreadBytes) return
    const states = [...this.#nextStates.values()]
    this.#nextStates.clear()
    this.#attempt(() => states.forEach((message) => this.notify(message)))
  }

  #markAlive(): void {
    this.#lastMessageMs = performance.now()
  }

  #sendFrame(frame: Frame): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return
    this.#lastNumber += 1
    this.#inFlight.set(this.#lastNumber, performance.now())
    this.#webSocket.send(encodeFrame(frame, this.#lastNumber))
    if (this.#everyMs > 0) this.#pauseTimer = setTimeout(this.#endPause, this.#everyMs).unref()
  }

  /** Ends the pause: sends the queued frame and requests the next one. */
  readonly #endPause = (): void => {
    this.#pauseTimer = undefined
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
    if (nextFrame === undefined || !this.#hasRoom()) return
    this.#nextFrame = undefined
    this.#sendFrame(nextFrame)
  }

  #onFrameDrawn(number: number): void {
    const sentAt = this.#inFlight.get(number)
    if (sentAt === undefined) return
    // A drawn frame also acknowledges all frames before it.
    for (const sent of this.#inFlight.keys()) if (sent <= number) this.#inFlight.delete(sent)
    const hasChanged = this.isVisible && this.#gauge.addLatency(performance.now() - sentAt)
    this.#sendWaiting()
    if (hasChanged) this.#events.onQuality()
    this.#events.onReady()
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#markAlive()
    const message = isBinary ? undefined : parseJson((data as Buffer).toString())
    const view = viewMessage.safeParse(message)
    if (view.success) {
      this.#handleViewMessage(view.data)
      return
    }
    if (!this.isInteractive) return this.#rejectInput()
    const interact = interactMessage.safeParse(message)
    if (interact.success) this.#events.onInteract(interact.data)
    else this.notify({ type: 'notice', text: 'Invalid input message' })
  }

  #handleViewMessage(message: ViewMessage): void {
    switch (message.type) {
      case 'drawn':
        return this.#onFrameDrawn(message.frame)
      case 'show':
        return this.#events.onShow(message.tab)
      case 'looks':
        this.isVisible = message.isVisible
        this.width = message.width
        this.height = message.height
        this.#everyMs = message.everyMs
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

/** Whether a message replaces the earlier ones of its type. */
function isState({ type }: ServerMessage): boolean {
  return type === 'tabs' || type === 'dialog' || type === 'choices' || type === 'handoffs'
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: the caller closes the connection.
    return undefined
  }
}
