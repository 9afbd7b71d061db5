/** The features of one text, added in the order of their names. */
export class FeatureRow {
  readonly values: Float32Array
  #length = 0

  constructor(length: number) {
    this.values = new Float32Array(length)
  }

  add(value: number): void {
    this.values[this.#length++] = value
  }

  /** Adds 1 for true and 0 for false. */
  addFlag(is: boolean): void {
    this.values[this.#length++] = is ? 1 : 0
  }

  addAll(values: ArrayLike<number>): void {
    for (let index = 0; index < values.length; index++) this.add(values[index] ?? 0)
  }

  /** Adds the lowest `count` bits as features. */
  addBits(bits: number, count: number): void {
    for (let bit = 0; bit < count; bit++) this.add((bits >> bit) & 1)
  }
}
