/** Limits how many bytes each owner holds, such as each team. */
export class ByteLimit {
  readonly limitBytes: number
  readonly #bytesOf = new Map<string, number>()

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes
  }

  /** Whether an owner may hold this many bytes in addition. */
  hasRoom(owner: string, bytes: number): boolean {
    return (this.#bytesOf.get(owner) ?? 0) + bytes <= this.limitBytes
  }

  /** Adds bytes of an owner, also beyond the limit. A negative number releases them. */
  add(owner: string, bytes: number): void {
    const sum = (this.#bytesOf.get(owner) ?? 0) + bytes
    if (sum === 0) this.#bytesOf.delete(owner)
    else this.#bytesOf.set(owner, sum)
  }
}
