import type { Frame } from './frame.ts'
import { qualities, type Quality } from './quality.ts'

/** For whom pictures are taken: the largest screen among the viewers, and the best line. */
export interface Audience {
  /** Device pixels. */
  readonly width: number
  readonly height: number
  /** Index into `qualities`. */
  readonly level: number
}

/** What a cast needs from the page it shows. */
export interface ScreencastDeps {
  readonly call: (method: string, params?: object) => Promise<unknown>
  readonly onFrame: (frame: Frame) => void
  /** Whether any viewer can take a further frame now. */
  readonly isAwaited: () => boolean
  readonly onError: (error: unknown) => void
  /** What `level` is an index into. Default: those of the live view. */
  readonly qualities?: readonly Quality[]
}

/** What `Page.startScreencast` takes. */
interface CastOptions extends Omit<Quality, 'scale'> {
  readonly maxWidth: number
  readonly maxHeight: number
}

/** `Page.screencastFrame` as Chromium sends it. */
export interface ScreencastFrame {
  readonly data: string
  readonly sessionId: number
  readonly metadata: { readonly deviceWidth: number; readonly deviceHeight: number }
}

/** Chromium keeps about three frames in flight, so waiting this long gives 30 frames a second and takes no time off the first. */
const ackDelayMs = 80

/** After this long without change, what was sent at low quality is sent once more at the best. */
const settleMs = 1200

/** Further frames after which a page at rest counts as moving again. */
const framesThatMove = 3

/** A page on another tab sends one picture per start, so it is started again this often. */
const hiddenPageMs = 1000

/** How long a first picture may take. Doubles with each vain start. */
const firstFrameMs = 250
const longestFirstFrameMs = 8000

/** Takes pictures of one page while there is an audience, no faster than the audience takes them. */
export class Screencast {
  readonly #deps: ScreencastDeps
  #audience: Audience | undefined
  /** Serialises starts and stops: each waits for the one before. */
  #work: Promise<void> = Promise.resolve()
  #running: string | undefined
  #isWebpRefused = false
  readonly #unacknowledged: number[] = []
  readonly #timers = new Set<NodeJS.Timeout>()
  #settleTimer: NodeJS.Timeout | undefined
  #hiddenTimer: NodeJS.Timeout | undefined
  #settled: { frames: number } | undefined
  #overdueTimer: NodeJS.Timeout | undefined
  #overdueMs = firstFrameMs
  #hasEnded = false

  constructor(deps: ScreencastDeps) {
    this.#deps = deps
  }

  /** Starts, changes or stops (`undefined`) the pictures. */
  serve(audience: Audience | undefined): void {
    this.#audience = audience
    this.#apply()
  }

  /** Takes a picture from the browser. */
  receive({ data, sessionId, metadata }: ScreencastFrame): void {
    clearTimeout(this.#overdueTimer)
    this.#overdueMs = firstFrameMs
    this.#unacknowledged.push(sessionId)
    this.#noteMovement()
    const image = Buffer.from(data, 'base64')
    this.#deps.onFrame({
      format: image.readUInt8(0) === 0xff ? 'jpeg' : 'webp',
      width: Math.round(metadata.deviceWidth),
      height: Math.round(metadata.deviceHeight),
      image,
    })
    this.proceed()
  }

  /** Asks for the next frame if a viewer awaits one. Called when that may have changed. */
  proceed(): void {
    if (!this.#deps.isAwaited()) return
    for (const sessionId of this.#unacknowledged.splice(0)) {
      const timer = setTimeout(() => {
        this.#timers.delete(timer)
        this.#call('Page.screencastFrameAck', { sessionId })
      }, ackDelayMs)
      this.#timers.add(timer)
    }
  }

  /** Told by the browser: whether the page is on its screen. */
  setHidden(isHidden: boolean): void {
    clearInterval(this.#hiddenTimer)
    // The browser may tell of it once more after the end.
    this.#hiddenTimer = isHidden && !this.#hasEnded ? setInterval(() => this.#restart(), hiddenPageMs) : undefined
  }

  /**
   * Starts anew if no picture comes soon. While a page is being made or goes elsewhere a start may be refused, or lead to
   * nothing without a word.
   */
  expectFrame(): void {
    clearTimeout(this.#overdueTimer)
    if (this.#audience === undefined || this.#unacknowledged.length > 0) return
    this.#overdueTimer = setTimeout(() => {
      this.#overdueMs = Math.min(longestFirstFrameMs, this.#overdueMs * 2)
      this.#restart()
    }, this.#overdueMs)
  }

  /** Stops for good. The browser forgets the cast when the session it hangs on is detached. */
  end(): void {
    this.#hasEnded = true
    this.#audience = undefined
    this.setHidden(false)
    clearTimeout(this.#settleTimer)
    clearTimeout(this.#overdueTimer)
    for (const timer of this.#timers) clearTimeout(timer)
  }

  #noteMovement(): void {
    clearTimeout(this.#settleTimer)
    const level = this.#audience?.level ?? 0
    if (level === 0) return
    if (this.#settled !== undefined) {
      this.#settled.frames += 1
      if (this.#settled.frames <= framesThatMove) return
      this.#settled = undefined
      this.#apply()
    }
    this.#settleTimer = setTimeout(() => {
      this.#settled = { frames: 0 }
      this.#apply()
    }, settleMs)
  }

  #wanted(): CastOptions | undefined {
    if (this.#audience === undefined) return undefined
    const { format, quality, scale } =
      (this.#deps.qualities ?? qualities)[this.#settled === undefined ? this.#audience.level : 0] ?? bestQuality
    return {
      format: this.#isWebpRefused ? 'jpeg' : format,
      quality,
      maxWidth: Math.ceil(this.#audience.width * scale),
      maxHeight: Math.ceil(this.#audience.height * scale),
    }
  }

  #apply(): void {
    // A start that is refused is tried again until the tab is gone; a tab that is gone is told of elsewhere.
    this.#work = this.#work.then(async () => this.#change()).catch(() => undefined)
  }

  #restart(): void {
    this.#work = this.#work
      .then(async () => {
        await this.#stop()
        await this.#change()
      })
      .catch(() => undefined)
  }

  async #change(): Promise<void> {
    const wanted = this.#wanted()
    const key = wanted && JSON.stringify(wanted)
    if (key === this.#running) return
    // Chromium refuses to change a running cast.
    await this.#stop()
    if (wanted === undefined) return
    try {
      await this.#start(wanted)
      this.#running = key
    } finally {
      this.expectFrame()
    }
  }

  async #start(wanted: CastOptions): Promise<void> {
    try {
      await this.#deps.call('Page.startScreencast', wanted)
    } catch (error) {
      if (wanted.format === 'jpeg') throw error
      // A Chromium that knows no WebP here is not asked again.
      await this.#deps.call('Page.startScreencast', { ...wanted, format: 'jpeg' })
      this.#isWebpRefused = true
    }
  }

  async #stop(): Promise<void> {
    if (this.#running === undefined) return
    this.#running = undefined
    clearTimeout(this.#overdueTimer)
    this.#unacknowledged.length = 0
    await this.#deps.call('Page.stopScreencast')
  }

  #call(method: string, params: object): void {
    this.#deps.call(method, params).catch(this.#deps.onError)
  }
}

const bestQuality = { format: 'jpeg', quality: 80, scale: 1 } as const
