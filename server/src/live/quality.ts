/** How a picture is taken. */
export interface Quality {
  readonly format: 'jpeg' | 'webp'
  /** 0 to 100. */
  readonly quality: number
  /** Share of the viewer's pixels. */
  readonly scale: number
}

/** Best first. WebP takes the browser longer but is a third smaller, so it is for those whose line is the limit. */
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
const maxPatience = 16

/** Finds the quality one viewer's line carries, from how long frames take until they are drawn. */
export class QualityGauge {
  #level = 0
  #smoothMs = 0
  #frames = 0
  /** Grows with each improvement that did not last, so that the picture does not keep changing. */
  #patience = 1

  /** Index into `qualities`. */
  get level(): number {
    return this.#level
  }

  /** Notes a drawn frame. True when the level changed. */
  note(latencyMs: number): boolean {
    this.#smoothMs = this.#frames === 0 ? latencyMs : this.#smoothMs * 0.7 + latencyMs * 0.3
    this.#frames += 1
    if (this.#smoothMs > slowMs && this.#frames >= framesToWorsen && this.#level < qualities.length - 1) {
      this.#patience = Math.min(maxPatience, this.#patience * 2)
      return this.#change(1)
    }
    if (this.#smoothMs < fastMs && this.#frames >= framesToImprove * this.#patience && this.#level > 0) {
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
