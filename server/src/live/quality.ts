import type { Quality } from '../cdp/screencast.ts'

/** Best first. WebP takes longer to encode but is a third smaller, so slow connections get it. */
export const qualities: readonly Quality[] = [
  { format: 'jpeg', quality: 80, scale: 1 },
  { format: 'webp', quality: 60, scale: 1 },
  { format: 'webp', quality: 45, scale: 0.75 },
  { format: 'webp', quality: 30, scale: 0.5 },
]

const slowMs = 250
const fastMs = 90
const framesToWorsen = 4
const framesToImprove = 40
const maxBackoff = 16

/** Adapts the quality to a viewer's connection, from the time frames take until they are drawn. */
export class QualityGauge {
  #level = 0
  #smoothMs = 0
  #frames = 0
  /**
   * Factor on the frames needed to improve. Doubles whenever the quality worsens, so that it does
   * not oscillate.
   */
  #backoff = 1

  /** Index into `qualities`. */
  get level(): number {
    return this.#level
  }

  /** Adds the latency of a drawn frame. Returns whether the level changed. */
  addLatency(latencyMs: number): boolean {
    this.#smoothMs = this.#frames === 0 ? latencyMs : this.#smoothMs * 0.7 + latencyMs * 0.3
    this.#frames += 1
    if (this.#smoothMs > slowMs && this.#frames >= framesToWorsen && this.#level < qualities.length - 1) {
      this.#backoff = Math.min(maxBackoff, this.#backoff * 2)
      return this.#change(1)
    }
    if (this.#smoothMs < fastMs && this.#frames >= framesToImprove * this.#backoff && this.#level > 0) {
      return this.#change(-1)
    }
    return false
  }

  #change(step: 1 | -1): true {
    this.#level += step
    this.#frames = 0
    return true
  }
}
