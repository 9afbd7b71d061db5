import type { Quality } from '../cdp/screencast.ts'

/** Best first. WebP takes longer to encode but is a third smaller, so slow connections get it. */
export const qualities: readonly Quality[] = [
  { format: 'jpeg', quality: 80, scale: 1 },
  { format: 'webp', quality: 60, scale: 1 },
  { format: 'webp', quality: 45, scale: 0.75 },
  { format: 'webp', quality: 30, scale: 0.5 },
  { format: 'webp', quality: 20, scale: 0.35 },
]

/** Bytes of a frame of text at each level, as a share of those at the best one. */
const shares = [1, 0.5, 0.3, 0.14, 0.06] as const

const slowMs = 250
const fastMs = 90
const framesToWorsen = 4
const framesToImprove = 40
const maxBackoff = 16

/**
 * Time from which one frame is enough to worsen the quality, by as many levels as it takes. The
 * next frames would take as long.
 */
const verySlowMs = 2000

/** A frame that a viewer has drawn. */
export interface DrawnFrame {
  readonly sentMs: number
  readonly drawnMs: number
  /** Time that a message without contents takes there and back. */
  readonly roundTripMs: number
}

/** Adapts the quality to a viewer's connection, from the time frames take until they are drawn. */
export class QualityGauge {
  #level = 0
  #smoothMs = 0
  #frames = 0
  #changedMs = -Infinity
  /**
   * Factor on the frames needed to improve. Doubles whenever the quality worsens, so that it does
   * not oscillate.
   */
  #backoff = 1

  /** Index into `qualities`. */
  get level(): number {
    return this.#level
  }

  /** Adds a drawn frame. Returns whether the level changed. */
  addFrame({ sentMs, drawnMs, roundTripMs }: DrawnFrame): boolean {
    // Frames of the level before.
    if (sentMs < this.#changedMs) return false
    // The distance delays frames of each quality alike.
    const transferMs = Math.max(0, drawnMs - sentMs - roundTripMs)
    this.#smoothMs = this.#frames === 0 ? transferMs : this.#smoothMs * 0.7 + transferMs * 0.3
    this.#frames += 1
    const canWorsen = this.#level < qualities.length - 1
    if (canWorsen && transferMs > verySlowMs) return this.#change(this.#findLevel(transferMs), drawnMs)
    if (canWorsen && this.#smoothMs > slowMs && this.#frames >= framesToWorsen) {
      this.#backoff = Math.min(maxBackoff, this.#backoff * 2)
      return this.#change(this.#level + 1, drawnMs)
    }
    if (this.#smoothMs < fastMs && this.#frames >= framesToImprove * this.#backoff && this.#level > 0) {
      return this.#change(this.#level - 1, drawnMs)
    }
    return false
  }

  /** The best level at which frames are expected to arrive in time, or else the last. */
  #findLevel(transferMs: number): number {
    const bestMs = transferMs / (shares[this.#level] ?? 1)
    const level = shares.findIndex((share) => share * bestMs < slowMs)
    return level === -1 ? qualities.length - 1 : level
  }

  #change(level: number, nowMs: number): true {
    this.#level = level
    this.#frames = 0
    this.#changedMs = nowMs
    return true
  }
}
