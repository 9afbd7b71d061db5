/** Counts how many bytes each owner holds, such as each team. */
export class ByteCounts {
  readonly #bytesOf = new Map<string, number>()

  /** Returns the bytes that an owner holds. */
  of(owner: string): number {
    return this.#bytesOf.get(owner) ?? 0
  }

  /** Adds bytes of an owner. A negative number releases them. */
  add(owner: string, bytes: number): void {
    const sum = this.of(owner) + bytes
    if (sum === 0) this.#bytesOf.delete(owner)
    else this.#bytesOf.set(owner, sum)
  }
}

/** Limits how many bytes each owner holds. */
export class ByteLimit extends ByteCounts {
  readonly limitBytes: number

  constructor(limitBytes: number) {
    super()
    this.limitBytes = limitBytes
  }

  /** Whether an owner may hold this many bytes in addition. */
  hasRoom(owner: string, bytes: number): boolean {
    return this.of(owner) + bytes <= this.limitBytes
  }
}
