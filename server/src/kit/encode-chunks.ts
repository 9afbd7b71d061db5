import { setImmediate } from 'node:timers/promises'

/** Encodes chunks as UTF-8 and yields to the event loop after each. */
export async function* encodeChunks(chunks: Iterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    yield Buffer.from(chunk)
    await setImmediate()
  }
}
