import { Screencast, type ScreencastFrame } from '../live/screencast.ts'
import type { Quality } from '../live/quality.ts'
import type { TempFile } from './temp-file.ts'
import type { WatchedTarget } from './watch-targets.ts'
import { vp8OfWebp, WebmWriter } from './webm.ts'

/** Which page a session works on. */
export interface Focus {
  /** Target id of the page; undefined when none was driven yet. */
  readonly page: string | undefined
  /** Calls with every change. Returns a function that stops it. */
  onChange(listener: () => void): () => void
}

const size = { width: 1280, height: 720 } as const

// Chromium's lossy WebP is a VP8 picture in a box, so a video of them needs no encoder.
const quality: readonly Quality[] = [{ format: 'webp', quality: 50, scale: 1 }]

/** Films the page that is worked on: pictures when something moves, none while it rests. */
export class VideoRecorder {
  readonly #spool: TempFile
  readonly #focus: Focus
  readonly #frameMs: number
  readonly #onError: (error: unknown) => void
  readonly #writer: WebmWriter
  readonly #pages: WatchedTarget[] = []
  readonly #stopFollowing: () => void
  #shown: { readonly page: WatchedTarget; readonly cast: Screencast } | undefined
  /** When the first picture was taken, by the monotonic clock and by the wall's. */
  #startedAtMs: number | undefined
  #firstAtMs: number | undefined
  #nextMs = 0
  #early: Buffer | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #maxBytes: number

  constructor(
    spool: TempFile,
    focus: Focus,
    options: { readonly maxFps: number; readonly maxBytes: number; readonly onError: (error: unknown) => void },
  ) {
    this.#maxBytes = options.maxBytes
    this.#spool = spool
    this.#focus = focus
    this.#frameMs = 1000 / options.maxFps
    this.#onError = options.onError
    this.#writer = new WebmWriter((bytes) => void spool.append(bytes))
    this.#stopFollowing = focus.onChange(() => this.#direct())
  }

  /** When the first picture was taken, in milliseconds since the epoch. */
  get startedAtMs(): number | undefined {
    return this.#firstAtMs
  }

  add(page: WatchedTarget): void {
    this.#pages.push(page)
    this.#direct()
  }

  remove(page: WatchedTarget): void {
    const index = this.#pages.indexOf(page)
    if (index !== -1) this.#pages.splice(index, 1)
    this.#direct()
  }

  receive(page: WatchedTarget, method: string, params: Readonly<Record<string, unknown>>): void {
    if (page !== this.#shown?.page) return
    if (method === 'Page.screencastFrame') this.#shown.cast.receive(params as unknown as ScreencastFrame)
    else if (method === 'Page.screencastVisibilityChanged') this.#shown.cast.setHidden(params['visible'] === false)
  }

  /** Ends the video. False when there is none: no page was ever drawn. */
  async finish(): Promise<boolean> {
    this.#stopFollowing()
    clearTimeout(this.#timer)
    this.#shown?.cast.end()
    if (this.#early !== undefined) this.#write(this.#early)
    clearTimeout(this.#timer)
    await this.#spool.close(this.#writer.finish(Math.round(performance.now() - (this.#startedAtMs ?? 0))))
    return this.#startedAtMs !== undefined
  }

  /** Points the camera at the page that was driven last, else at the one opened last. */
  #direct(): void {
    const page = this.#pages.find(({ targetId }) => targetId === this.#focus.page) ?? this.#pages.at(-1)
    if (page === this.#shown?.page) return
    this.#shown?.cast.serve(undefined)
    this.#shown?.cast.end()
    this.#shown = page === undefined ? undefined : { page, cast: this.#castOf(page) }
    this.#shown?.cast.serve({ ...size, level: 0 })
  }

  #castOf(page: WatchedTarget): Screencast {
    return new Screencast({
      qualities: quality,
      call: page.call,
      onFrame: ({ image }) => this.#take(image),
      isAwaited: () => performance.now() >= this.#nextMs && this.#spool.bytes < this.#maxBytes,
      // A page that closes takes its session away in the middle of whatever was asked of it.
      onError: (error) => this.#pages.includes(page) && this.#onError(error),
    })
  }

  #take(image: Buffer): void {
    const picture = vp8OfWebp(image)
    if (picture === undefined) return
    // Pictures come in bursts of three. What comes too early waits, since it may be the last of a movement.
    if (performance.now() < this.#nextMs) this.#early = picture
    else this.#write(picture)
  }

  #write(picture: Buffer): void {
    const nowMs = performance.now()
    this.#startedAtMs ??= nowMs
    this.#firstAtMs ??= Date.now()
    this.#early = undefined
    this.#writer.add(picture, Math.round(nowMs - this.#startedAtMs))
    this.#nextMs = nowMs + this.#frameMs
    this.#timer = setTimeout(() => {
      if (this.#early !== undefined) this.#write(this.#early)
      this.#shown?.cast.proceed()
    }, this.#frameMs)
  }
}
