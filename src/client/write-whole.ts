import { createWriteStream } from 'node:fs'
import { lstat, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Writes a stream to a file, which appears only when it is whole; to a device, a pipe or a link as it comes. */
export async function writeWhole(
  content: ReadableStream<Uint8Array>,
  path: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const options = signal && { signal }
  const isReplaceable = await lstat(path).then(
    (found) => found.isFile(),
    () => true,
  )
  // A file in its place would be no device any more: as root even `/dev/null`.
  if (!isReplaceable) return pipeline(Readable.fromWeb(content), createWriteStream(path), { ...options })
  // The name by which Chromium marks unfinished downloads, too.
  const unfinished = `${path}.crdownload`
  try {
    await pipeline(Readable.fromWeb(content), createWriteStream(unfinished), { ...options })
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}
