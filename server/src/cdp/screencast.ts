import type { CdpCall, CdpParams, Protocol } from './protocol.ts'

/** An image of a page. */
export interface Frame {
  readonly format: 'jpeg' | 'webp'
  /** Size of the page's viewport in CSS pixels, the unit of input coordinates. */
  readonly width: number
  readonly height: number
  readonly image: Buffer
}

/** A frame that has just arrived. */
export interface ReceivedFrame extends Frame {
  /** Milliseconds since the browser captured it. At most `maxAgeMs`. */
  readonly ageMs: number
}

// The clocks are the same, but one that is set back or forth must not move frames far.
const maxAgeMs = 5000

/** Encoding of the frames. */
export interface Quality {
  readonly format: 'jpeg' | 'webp'
  /** 0 to 100. */
  readonly quality: number
  /** Size of the frame relative to the viewer's window. */
  readonly scale: number
}

/** The largest window and the best connection among the viewers. */
export interface Audience {
  /** Device pixels. */
  readonly width: number
  readonly height: number
  /** Index into `ScreencastDeps.qualities`. */
  readonly level: number
}

/** Dependencies of a screencast. */
export interface ScreencastDeps {
  /** Calls the page. */
  readonly call: CdpCall
  /** Quality levels, best first. */
  readonly qualities: readonly Quality[]
  readonly onFrame: (frame: ReceivedFrame) => void
  /** Whether any viewer can receive a further frame now. */
  readonly isFrameWanted: () => boolean
  readonly onError: (error: unknown) => void
}

type StartParams = CdpParams<'Page.startScreencast'>

/**
 * Chromium keeps about three frames in flight, so this delay limits the rate to 30 frames per
 * second.
 */
const ackDelayMs = 80

/** After this long without a change, a low-quality frame is sent again at a better quality. */
const stillMs = 1200

/** The same on a slow connection, where the better frame delays what happens next by seconds. */
const slowStillMs = 3000

/** Levels from which a connection is slow. */
const slowLevel = 3

/** Further frames after which a still page counts as moving again. */
const framesThatMove = 3

/** A background tab sends one frame per start, so the screencast is restarted at this interval. */
const hiddenPageMs = 1000

/** Timeout for the first frame. Doubles with each unsuccessful start. */
const firstFrameMs = 250
const maxFirstFrameMs = 8000

/**
 * The screencast of one page. Runs while it has an audience, no faster than viewers acknowledge.
 */
export class Screencast {
  readonly #deps: ScreencastDeps
  #audience: Audience | undefined
  /** Serializes starts and stops. */
  #queue: Promise<void> = Promise.resolve()
  #running: string | undefined
  #isApplyQueued = false
  #isWebpRefused = false
  readonly #unacknowledged: number[] = []
  readonly #timers = new Set<NodeJS.Timeout>()
  #stillTimer: NodeJS.Timeout | undefined
  #hiddenTimer: NodeJS.Timeout | undefined
  #stillFrame: { frames: number } | undefined
  #lastFrame: { readonly data: string; readonly width: number; readonly height: number } | undefined
  #overdueTimer: NodeJS.Timeout | undefined
  #overdueMs = firstFrameMs
  #hasEnded = false

  constructor(deps: ScreencastDeps) {
    this.#deps = deps
  }

  /** Starts, changes or stops (`undefined`) the screencast. */
  setAudience(audience: Audience | undefined): void {
    this.#audience = audience
    this.#apply()
  }

  /** Handles a frame from the browser. */
  receive({ data, sessionId: frameNumber, metadata }: Protocol.Page.ScreencastFrameEvent): void {
    clearTimeout(this.#overdueTimer)
    this.#overdueMs = firstFrameMs
    this.#unacknowledged.push(frameNumber)
    const { deviceWidth: width, deviceHeight: height, timestamp } = metadata
    const last = this.#lastFrame
    // Chromium repeats the last frame of a change.
    if (data === last?.data && width === last.width && height === last.height) return this.requestFrame()
    this.#lastFrame = { data, width, height }
    this.#detectMovement()
    const image = Buffer.from(data, 'base64')
    this.#deps.onFrame({
      format: image.readUInt8(0) === 0xff ? 'jpeg' : 'webp',
      width: Math.round(width),
      height: Math.round(height),
      image,
      ageMs: timestamp === undefined ? 0 : Math.min(maxAgeMs, Math.max(0, Date.now() - timestamp * 1000)),
    })
    this.requestFrame()
  }

  /** Acknowledges received frames if a viewer is ready, so that the browser sends the next one. */
  requestFrame(): void {
    if (!this.#deps.isFrameWanted()) return
    for (const frameNumber of this.#unacknowledged.splice(0)) {
      const timer = setTimeout(() => {
        this.#timers.delete(timer)
        this.#deps.call('Page.screencastFrameAck', { sessionId: frameNumber }).catch(this.#deps.onError)
      }, ackDelayMs)
      this.#timers.add(timer)
    }
  }

  /** Sets whether the page is in the background, as reported by the browser. */
  setHidden(isHidden: boolean): void {
    clearInterval(this.#hiddenTimer)
    // The browser may report it once more after the end.
    this.#hiddenTimer = isHidden && !this.#hasEnded ? setInterval(() => this.#restart(), hiddenPageMs) : undefined
  }

  /**
   * Restarts if no frame arrives in time. While a page is created or navigates, Chromium may refuse
   * a start or ignore it silently.
   */
  expectFrame(): void {
    clearTimeout(this.#overdueTimer)
    if (this.#audience === undefined || this.#unacknowledged.length > 0) return
    this.#overdueTimer = setTimeout(() => {
      this.#overdueMs = Math.min(maxFirstFrameMs, this.#overdueMs * 2)
      this.#restart()
    }, this.#overdueMs)
  }

  /** Stops for good. The browser ends the screencast when its CDP session is detached. */
  end(): void {
    this.#hasEnded = true
    this.#audience = undefined
    this.setHidden(false)
    clearTimeout(this.#stillTimer)
    clearTimeout(this.#overdueTimer)
    for (const timer of this.#timers) clearTimeout(timer)
  }

  #detectMovement(): void {
    clearTimeout(this.#stillTimer)
    const level = this.#audience?.level ?? 0
    if (level === 0) return
    if (this.#stillFrame !== undefined) {
      this.#stillFrame.frames += 1
      if (this.#stillFrame.frames <= framesThatMove) return
      this.#stillFrame = undefined
      this.#apply()
    }
    this.#stillTimer = setTimeout(
      () => {
        this.#stillFrame = { frames: 0 }
        this.#apply()
      },
      level < slowLevel ? stillMs : slowStillMs,
    )
  }

  #desiredParams(): StartParams | undefined {
    if (this.#audience === undefined) return undefined
    const { format, quality, scale } =
      this.#deps.qualities[this.#stillFrame === undefined ? this.#audience.level : stillLevel(this.#audience)] ??
      bestQuality
    return {
      // Chromium accepts WebP, although the protocol does not list it.
      format: this.#isWebpRefused ? 'jpeg' : (format as 'jpeg'),
      quality,
      maxWidth: Math.ceil(this.#audience.width * scale),
      maxHeight: Math.ceil(this.#audience.height * scale),
    }
  }

  #apply(): void {
    // Viewers can change their windows in a loop.
    if (this.#isApplyQueued) return
    this.#isApplyQueued = true
    this.#enqueue(async () => {
      this.#isApplyQueued = false
      await this.#change()
    })
  }

  #restart(): void {
    this.#enqueue(async () => {
      await this.#stop()
      await this.#change()
    })
  }

  #enqueue(change: () => Promise<void>): void {
    // A refused start is retried by `expectFrame`. A page that is closed needs none.
    this.#queue = this.#queue.then(change).catch(() => undefined)
  }

  async #change(): Promise<void> {
    const desiredParams = this.#desiredParams()
    const key = desiredParams && JSON.stringify(desiredParams)
    if (key === this.#running) return
    // Chromium cannot change a running screencast.
    await this.#stop()
    if (desiredParams === undefined) return
    try {
      await this.#start(desiredParams)
      this.#running = key
    } finally {
      this.expectFrame()
    }
  }

  async #start(params: StartParams): Promise<void> {
    try {
      await this.#deps.call('Page.startScreencast', params)
    } catch (error) {
      if (params.format === 'jpeg') throw error
      // Older versions of Chromium do not support WebP here.
      await this.#deps.call('Page.startScreencast', { ...params, format: 'jpeg' })
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
}

/** The quality of a still page. */
function stillLevel({ level }: Audience): number {
  return Math.max(0, level - 2)
}

const bestQuality = { format: 'jpeg', quality: 80, scale: 1 } as const
