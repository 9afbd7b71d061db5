/** Bytes that may wait to be sent to all viewers of a session. */
const sharedBytes = 64 * 1024 * 1024

/** Bytes that may always wait to be sent to a viewer, even if the shared memory is full. */
export const bytesPerViewer = 256 * 1024

/**
 * Shares memory between the viewers of a session. A frame can have 12 MB, viewers may not read, and
 * a session can have any number of them.
 */
export class ViewerBuffers {
  /** Callbacks of the viewers. */
  readonly #viewers = new Set<() => void>()
  #bytes = 0

  /** Whether viewers may have no more than `bytesPerViewer` until others are sent. */
  get isFull(): boolean {
    return this.#bytes >= Math.max(sharedBytes, this.#viewers.size * bytesPerViewer)
  }

  /**
   * Counts a viewer until the returned function is called. `onFree` is called when the memory is no
   * longer full.
   */
  add(onFree: () => void): () => void {
    this.#viewers.add(onFree)
    return () => this.#viewers.delete(onFree)
  }

  /** Counts bytes that wait until the returned function is called. */
  reserve(bytes: number): () => void {
    this.#bytes += bytes
    return () => {
      const wasFull = this.isFull
      this.#bytes -= bytes
      if (wasFull && !this.isFull) for (const onFree of this.#viewers) onFree()
    }
  }
}
