import type { CdpEvent } from '../cdp/protocol.ts'
import { Screencast, type Quality, type ReceivedFrame } from '../cdp/screencast.ts'
import type { AttachedTarget } from '../cdp/targets.ts'
import type { TempFile } from './temp-file.ts'
import { vp8OfWebp, WebmWriter } from './webm.ts'

/** Tracks the page that the clients of a session used last. */
export interface Focus {
  /** Target id of the page. `undefined` if none was used yet. */
  readonly page: string | undefined
  /** Calls `listener` after every change. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void
}

/** A frame with the time at which the browser captured it, on the monotonic and the wall clock. */
interface CapturedFrame {
  readonly vp8: Buffer
  readonly atMs: number
  readonly epochMs: number
}

/** A frame as an image, and when the browser captured it. */
export interface Picture {
  readonly image: Buffer
  readonly epochMs: number
}

const size = { width: 1280, height: 720 } as const

// A lossy WebP image contains a VP8 key frame, so frames become a video without an encoder.
const qualities: readonly Quality[] = [{ format: 'webp', quality: 50, scale: 1 }]

/** Records the active page as video. Writes frames only while something changes. */
export class VideoRecorder {
  readonly #file: TempFile
  readonly #focus: Focus
  readonly #frameMs: number
  readonly #onError: (error: unknown) => void
  readonly #writer: WebmWriter
  readonly #pages: AttachedTarget[] = []
  readonly #stopFollowing: () => void
  #shown: { readonly page: AttachedTarget; readonly screencast: Screencast } | undefined
  #firstFrameMonotonicMs: number | undefined
  #firstFrameEpochMs: number | undefined
  #lastPicture: Picture | undefined
  #pending: CapturedFrame | undefined
  /** Set while no frame is written, to keep the rate. */
  #pauseTimer: NodeJS.Timeout | undefined
  readonly #maxBytes: number

  constructor(
    file: TempFile,
    focus: Focus,
    options: { readonly maxFps: number; readonly maxBytes: number; readonly onError: (error: unknown) => void },
  ) {
    this.#maxBytes = options.maxBytes
    this.#file = file
    this.#focus = focus
    this.#frameMs = 1000 / options.maxFps
    this.#onError = options.onError
    this.#writer = new WebmWriter((bytes) => void file.append(bytes))
    this.#stopFollowing = focus.onChange(() => this.#followFocus())
  }

  /** Time of the first frame, in milliseconds since the epoch. */
  get firstFrameEpochMs(): number | undefined {
    return this.#firstFrameEpochMs
  }

  /** The last frame. `undefined` if there is none. */
  get lastPicture(): Picture | undefined {
    return this.#lastPicture
  }

  add(page: AttachedTarget): void {
    this.#pages.push(page)
    this.#followFocus()
  }

  remove(page: AttachedTarget): void {
    const index = this.#pages.indexOf(page)
    if (index !== -1) this.#pages.splice(index, 1)
    this.#followFocus()
  }

  receive(page: AttachedTarget, { method, params }: CdpEvent): void {
    if (page !== this.#shown?.page) return
    if (method === 'Page.screencastFrame') this.#shown.screencast.receive(params)
    else if (method === 'Page.screencastVisibilityChanged') this.#shown.screencast.setHidden(!params.visible)
  }

  /** Ends the video. Returns false if no frame was recorded. */
  async finish(): Promise<boolean> {
    this.#stopFollowing()
    clearTimeout(this.#pauseTimer)
    this.#shown?.screencast.end()
    if (this.#pending !== undefined) this.#write(this.#pending)
    clearTimeout(this.#pauseTimer)
    await this.#file.close(this.#writer.finish(Math.round(performance.now() - (this.#firstFrameMonotonicMs ?? 0))))
    return this.#firstFrameMonotonicMs !== undefined
  }

  /** Switches to the page that was used last, or else to the newest one. */
  #followFocus(): void {
    const page = this.#pages.find(({ targetId }) => targetId === this.#focus.page) ?? this.#pages.at(-1)
    if (page === this.#shown?.page) return
    this.#shown?.screencast.setAudience(undefined)
    this.#shown?.screencast.end()
    this.#shown = page === undefined ? undefined : { page, screencast: this.#createScreencast(page) }
    this.#shown?.screencast.setAudience({ ...size, level: 0 })
  }

  #createScreencast(page: AttachedTarget): Screencast {
    return new Screencast({
      call: page.call,
      qualities,
      onFrame: (frame) => this.#receiveFrame(frame),
      // Not by the clock: timers can end a little early, and no frame would be requested again.
      isFrameWanted: () => this.#pauseTimer === undefined && this.#file.bytes < this.#maxBytes,
      // When a page closes, its session is detached and pending calls fail.
      onError: (error) => this.#pages.includes(page) && this.#onError(error),
    })
  }

  #receiveFrame({ image, ageMs }: ReceivedFrame): void {
    const vp8 = vp8OfWebp(image)
    if (vp8 === undefined) return
    // Frames can wait for seconds until a busy server receives them.
    const frame = { vp8, atMs: performance.now() - ageMs, epochMs: Date.now() - ageMs }
    this.#lastPicture = { image, epochMs: frame.epochMs }
    // Frames arrive in bursts of three. An early one is kept, as it may be the last of a change.
    if (this.#pauseTimer === undefined) this.#write(frame)
    else this.#pending = frame
  }

  #write({ vp8, atMs, epochMs }: CapturedFrame): void {
    this.#firstFrameMonotonicMs ??= atMs
    this.#firstFrameEpochMs ??= epochMs
    this.#pending = undefined
    this.#writer.add(vp8, Math.round(atMs - this.#firstFrameMonotonicMs))
    this.#pauseTimer = setTimeout(this.#writePending, this.#frameMs)
  }

  readonly #writePending = (): void => {
    this.#pauseTimer = undefined
    // Uncaught, an error about a malformed frame would end the server.
    try {
      if (this.#pending !== undefined) this.#write(this.#pending)
      this.#shown?.screencast.requestFrame()
    } catch (error) {
      this.#onError(error)
    }
  }
}
