import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Writes a stream to a file, which appears only when it is whole. */
export const writeWhole = async (
  content: ReadableStream<Uint8Array>,
  path: string,
  signal: AbortSignal | undefined,
): Promise<void> => {
  // The name by which Chromium marks unfinished downloads, too.
  const unfinished = `${path}.crdownload`
  try {
    await pipeline(Readable.fromWeb(content), createWriteStream(unfinished), { ...(signal && { signal }) })
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}
