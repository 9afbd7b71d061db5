import type { RawData, WebSocket } from 'ws'
import { encodeFrame, type Frame } from './frame.ts'
import { QualityGauge } from './quality.ts'
import type { ServerMessage } from './server-message.ts'
import { actingMessage, watchingMessage, type ActingMessage, type WatchingMessage } from './viewer-message.ts'

/** What a viewer's messages lead to. */
export interface ViewerEvents {
  /** It asks for one tab, or for the active one. */
  readonly onShow: (tab: string | null) => void
  /** Its window, or whether it can be seen, has changed. */
  readonly onLooks: () => void
  readonly onActing: (message: ActingMessage) => void
  /** The viewer can take a frame again. */
  readonly onReady: () => void
  /** The viewer's line carries more or less than before. */
  readonly onQuality: () => void
  /** It sent what it has no right to. */
  readonly onRefused: () => void
}

/** Frames that may be under way to one viewer. Two keep a line busy; more only make the picture late. */
const framesUnderWay = 2

/** Bytes that may wait in the socket before frames are held back whatever was acknowledged. */
const highWaterBytes = 4 * 1024 * 1024

/** Input that a watching viewer tried to send, after which its socket is closed. */
const refusalsToClose = 1000

const silenceLimitMs = 60_000

/** One connected page of the live view. */
export class Viewer {
  readonly isInteractive: boolean
  /** The tab it asked for; undefined follows the active one. */
  pinned: string | undefined
  /** The tab it is given. */
  shown: string | undefined
  isVisible = true
  width = 1280
  height = 800
  #everyMs = 0
  /** Set between two pictures of a viewer that wants few. */
  #restTimer: NodeJS.Timeout | undefined
  readonly #webSocket: WebSocket
  readonly #events: ViewerEvents
  readonly #gauge = new QualityGauge()
  readonly #underWay = new Map<number, number>()
  #waiting: Frame | undefined
  #lastNumber = 0
  #refusals = 0
  #lastHeardMs = performance.now()

  constructor(webSocket: WebSocket, isInteractive: boolean, events: ViewerEvents) {
    this.isInteractive = isInteractive
    this.#webSocket = webSocket
    this.#events = events
    webSocket.on('message', (data, isBinary) => this.#receive(data, isBinary))
    webSocket.on('pong', () => this.#heard())
  }

  /** Index into `qualities` that its line carries. */
  get level(): number {
    return this.#gauge.level
  }

  /** Whether the browser should take a further picture for it. */
  get isReady(): boolean {
    return this.isVisible && this.#waiting === undefined && this.#hasRoom()
  }

  /** Sends a frame, now or, if the last ones are still under way, in place of whatever else waits. */
  offer(frame: Frame): void {
    if (this.#hasRoom()) this.#sendFrame(frame)
    else this.#waiting = frame
  }

  notify(message: ServerMessage): void {
    if (this.#webSocket.readyState === this.#webSocket.OPEN) this.#webSocket.send(JSON.stringify(message))
  }

  /** Pings; cuts a viewer off that has not been heard of for a minute. */
  check(nowMs: number): void {
    if (nowMs - this.#lastHeardMs > silenceLimitMs) this.#webSocket.terminate()
    else if (this.#webSocket.readyState === this.#webSocket.OPEN) this.#webSocket.ping()
    this.notify({ type: 'beat' })
  }

  close(code: number, reason: string): void {
    this.#webSocket.close(code, reason)
    setTimeout(() => this.#webSocket.terminate(), 2000).unref()
  }

  /** Forgets frames of the tab it looked at before. */
  forgetFrames(): void {
    this.#waiting = undefined
  }

  #hasRoom(): boolean {
    return (
      this.#restTimer === undefined &&
      this.#underWay.size < framesUnderWay &&
      this.#webSocket.bufferedAmount < highWaterBytes
    )
  }

  #heard(): void {
    this.#lastHeardMs = performance.now()
  }

  #sendFrame(frame: Frame): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return
    this.#lastNumber += 1
    this.#underWay.set(this.#lastNumber, performance.now())
    this.#webSocket.send(encodeFrame(frame, this.#lastNumber))
    if (this.#everyMs > 0) this.#restTimer = setTimeout(() => this.#proceed(), this.#everyMs).unref()
  }

  /** Sends what came while it rested, and lets the browser take the next picture. */
  #proceed(): void {
    this.#restTimer = undefined
    this.#sendWaiting()
    this.#events.onReady()
  }

  #sendWaiting(): void {
    const waiting = this.#waiting
    if (waiting === undefined || !this.#hasRoom()) return
    this.#waiting = undefined
    this.#sendFrame(waiting)
  }

  #drawn(number: number): void {
    const sentAt = this.#underWay.get(number)
    if (sentAt === undefined) return
    // A picture that was drawn makes those before it pointless, drawn or not.
    for (const earlier of this.#underWay.keys()) if (earlier <= number) this.#underWay.delete(earlier)
    const hasChanged = this.isVisible && this.#gauge.note(performance.now() - sentAt)
    this.#sendWaiting()
    if (hasChanged) this.#events.onQuality()
    this.#events.onReady()
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#heard()
    const message = isBinary ? undefined : parseJson((data as Buffer).toString())
    const watching = watchingMessage.safeParse(message)
    if (watching.success) {
      this.#watch(watching.data)
      return
    }
    if (!this.isInteractive) return this.#refuse()
    const acting = actingMessage.safeParse(message)
    if (acting.success) this.#events.onActing(acting.data)
    else this.notify({ type: 'notice', text: 'The server did not understand this input' })
  }

  #watch(message: WatchingMessage): void {
    switch (message.type) {
      case 'drawn':
        return this.#drawn(message.frame)
      case 'show':
        return this.#events.onShow(message.tab)
      case 'looks':
        this.isVisible = message.isVisible
        this.width = message.width
        this.height = message.height
        this.#everyMs = message.everyMs
        return this.#events.onLooks()
    }
    message satisfies never
  }

  #refuse(): void {
    this.#refusals += 1
    this.#events.onRefused()
    if (this.#refusals === 1) this.notify({ type: 'notice', text: 'This address only lets you watch' })
    if (this.#refusals === refusalsToClose) this.close(1008, 'watching only')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
