import { setImmediate } from 'node:timers/promises'

/** Texts as bytes, with other work of the thread done between two of them. */
export async function* encodeChunks(pieces: Iterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    yield Buffer.from(piece)
    await setImmediate()
  }
}
