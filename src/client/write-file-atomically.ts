import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { lstat, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/**
 * Writes a stream to a temporary file and renames it to `path` when it is complete. Devices, pipes
 * and links are written directly.
 */
export async function writeFileAtomically(
  content: ReadableStream<Uint8Array>,
  path: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const options = signal && { signal }
  const isReplaceable = await lstat(path).then(
    (found) => found.isFile(),
    () => true,
  )
  // Renaming would replace the device itself, even `/dev/null` when running as root.
  if (!isReplaceable) return pipeline(Readable.fromWeb(content), createWriteStream(path), { ...options })
  // Chromium also names unfinished downloads like this. Several can have the same `path`.
  const unfinished = join(dirname(path), `Unconfirmed ${randomUUID()}.crdownload`)
  try {
    await pipeline(Readable.fromWeb(content), createWriteStream(unfinished), { ...options })
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}
