import type { RecordedVideo } from './recorded.ts'

const longestBlankMs = 5000
const blankStepMs = 100
const longestFrameMs = 100

/** Callbacks of a playback. */
export interface PlaybackEvents {
  /** The current time changed. */
  readonly onTime: (nowMs: number) => void
  /** Playing started or stopped. */
  readonly onPlaying: (isPlaying: boolean) => void
}

/**
 * The current time of a recording, in milliseconds since its start. While the video plays, the time
 * is that of the video, so the two cannot drift apart. Before and after it, a clock continues.
 */
export class Playback {
  readonly #video: HTMLVideoElement
  readonly #events: PlaybackEvents
  /** Start of the video. `Infinity` if there is none that can be played. */
  #videoStartMs = Infinity
  #videoEndMs = Infinity
  #lengthMs: number
  #nowMs = 0
  #speed = 1
  #isPlaying = false
  #lastStepMs = 0

  constructor(video: HTMLVideoElement, lengthMs: number, events: PlaybackEvents) {
    this.#video = video
    this.#lengthMs = lengthMs
    this.#events = events
  }

  get lengthMs(): number {
    return this.#lengthMs
  }

  get nowMs(): number {
    return this.#nowMs
  }

  /** Loads the video, which begins `video.startMs - startMs` after the start of the recording. */
  async load({ base64, startMs: videoStartMs }: RecordedVideo, startMs: number): Promise<void> {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
    const loaded = new Promise<boolean>((resolve) => {
      this.#video.addEventListener('loadedmetadata', () => resolve(true), { once: true })
      this.#video.addEventListener('error', () => resolve(false), { once: true })
    })
    this.#video.src = URL.createObjectURL(new Blob([bytes], { type: 'video/webm' }))
    if (!(await loaded) || !Number.isFinite(this.#video.duration)) return
    this.#videoStartMs = videoStartMs - startMs
    this.#videoEndMs = this.#videoStartMs + this.#video.duration * 1000
    this.#lengthMs = Math.max(this.#lengthMs, this.#videoEndMs)
  }

  /**
   * Finds the first time at which the video is not blank, as it is until the first page is painted.
   * Resolves to `fromMs` if it is not blank then, or is for longer than five seconds.
   */
  async findPainted(fromMs: number): Promise<number> {
    const lastMs = Math.min(fromMs + longestBlankMs, this.#videoEndMs)
    if (fromMs < this.#videoStartMs) return fromMs
    for (let ms = fromMs; ms <= lastMs; ms += blankStepMs) {
      await this.#showFrame(ms)
      if (!isBlank(this.#video)) return ms
    }
    return fromMs
  }

  /**
   * Seeks the video and waits for its frame. `seeked` can come before the frame can be drawn, and a
   * page in the background presents no frames: it is waited for, but not for long.
   */
  async #showFrame(ms: number): Promise<void> {
    const video = this.#video
    const isPresented = new Promise((resolve) => video.requestVideoFrameCallback(resolve))
    const isSought = new Promise((resolve) => video.addEventListener('seeked', resolve, { once: true }))
    video.currentTime = (ms - this.#videoStartMs) / 1000
    await isSought
    await Promise.race([isPresented, new Promise((resolve) => setTimeout(resolve, longestFrameMs))])
  }

  /** Moves to a time. Keeps playing or pausing. */
  seek(ms: number): void {
    this.#nowMs = Math.max(0, Math.min(ms, this.#lengthMs))
    this.#seekVideo()
    this.#events.onTime(this.#nowMs)
  }

  /** Plays at a multiple of the recorded speed. */
  setSpeed(speed: number): void {
    this.#speed = speed
    this.#video.playbackRate = speed
  }

  /** Plays, from the start if the end was reached, or pauses. */
  toggle(): void {
    if (this.#isPlaying) return this.#stop()
    if (this.#lengthMs === 0) return
    if (this.#nowMs >= this.#lengthMs) this.seek(0)
    this.#isPlaying = true
    this.#events.onPlaying(true)
    this.#lastStepMs = performance.now()
    requestAnimationFrame(this.#step)
  }

  #stop(): void {
    this.#isPlaying = false
    this.#video.pause()
    this.#events.onPlaying(false)
  }

  readonly #step = (): void => {
    if (!this.#isPlaying) return
    const stepMs = performance.now()
    const elapsedMs = (stepMs - this.#lastStepMs) * this.#speed
    this.#lastStepMs = stepMs
    this.#nowMs = this.#isInVideo() ? this.#videoTime() : Math.min(this.#nowMs + elapsedMs, this.#lengthMs)
    this.#events.onTime(this.#nowMs)
    if (this.#nowMs >= this.#lengthMs) return this.#stop()
    requestAnimationFrame(this.#step)
  }

  #isInVideo(): boolean {
    return this.#nowMs >= this.#videoStartMs && this.#nowMs < this.#videoEndMs
  }

  /** Plays the video if it does not yet, and returns the time that it shows. */
  #videoTime(): number {
    const video = this.#video
    if (video.ended) return this.#videoEndMs
    if (video.paused) {
      this.#seekVideo()
      // The browser refuses to play, so the clock continues without the video.
      video.play().catch((error: unknown) => {
        if (!(error instanceof DOMException) || error.name !== 'AbortError') this.#videoStartMs = Infinity
      })
    }
    // While a seek is under way, `currentTime` is its target.
    return Math.max(this.#videoStartMs + video.currentTime * 1000, this.#videoStartMs)
  }

  #seekVideo(): void {
    if (this.#videoStartMs === Infinity) return
    const seconds = Math.max(0, Math.min(this.#nowMs, this.#videoEndMs) - this.#videoStartMs) / 1000
    if (Math.abs(this.#video.currentTime - seconds) > 0.001) this.#video.currentTime = seconds
  }
}

/** Whether the frame of a video is white. */
function isBlank(video: HTMLVideoElement): boolean {
  const canvas = document.createElement('canvas')
  ;[canvas.width, canvas.height] = [64, 40]
  const context = canvas.getContext('2d')
  context?.drawImage(video, 0, 0, canvas.width, canvas.height)
  const pixels = context?.getImageData(0, 0, canvas.width, canvas.height).data ?? []
  // Compression changes white a little.
  return pixels.every((value) => value > 250)
}
