import { constants } from 'node:fs'
import { open, opendir, readlink, realpath, type FileHandle } from 'node:fs/promises'
import type { ReadableStream } from 'node:stream/web'
import { createTarPacker, type TarPackController } from 'modern-tar'
import { BowlineError } from 'bowline/kit/errors'
import { isProfileFile, canContainProfileFiles } from './profile-paths.ts'

/** Name of the archive entry for the session cookies. */
export const sessionCookiesName = 'bowline.json'

/** A profile being packed. `contentBytes` is final once `stream` has been read to its end. */
export interface Packing {
  readonly stream: ReadableStream<Uint8Array>
  readonly contentBytes: () => number
}

/**
 * Packs the profile files of the user-data-dir of an exited browser, with its session cookies as
 * the first entry. The stream fails with PROFILE_TOO_LARGE if the contents exceed `quotaBytes`.
 */
export function packProfile(userDataDir: string, sessionCookiesJson: string, quotaBytes: number): Packing {
  const { readable, controller } = createTarPacker()
  let contentBytes = 0
  const count = (bytes: number): void => {
    contentBytes += bytes
    if (contentBytes > quotaBytes) throw tooLarge(quotaBytes)
  }
  const fill = async (): Promise<void> => {
    const root = await realpath(userDataDir)
    const cookiesBytes = Buffer.from(sessionCookiesJson)
    count(cookiesBytes.length)
    await addEntry(controller, { name: sessionCookiesName, size: cookiesBytes.length, mtime: new Date() }, [
      cookiesBytes,
    ])
    for await (const path of keptFiles(root)) await addFile(controller, root, path, count)
    controller.finalize()
  }
  fill().catch((error: unknown) => controller.error(error))
  return { stream: readable, contentBytes: () => contentBytes }
}

/** Creates the error for a profile over its quota. */
export function tooLarge(quotaBytes: number): BowlineError {
  return new BowlineError('PROFILE_TOO_LARGE', `The profile is larger than ${quotaBytes / 1e6} MB`)
}

const keptFiles = async function* (root: string, folder = ''): AsyncGenerator<string> {
  for await (const entry of await opendir(`${root}/${folder}`)) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    // Links are never followed: they may point at files of the server.
    if (entry.isDirectory() && canContainProfileFiles(path)) yield* keptFiles(root, path)
    else if (entry.isFile() && isProfileFile(path)) yield path
  }
}

async function addFile(
  archive: TarPackController,
  root: string,
  path: string,
  count: (bytes: number) => void,
): Promise<void> {
  await using file = await openOwnFile(`${root}/${path}`)
  if (file === undefined) return
  const { size, mtime } = await file.stat()
  count(size)
  // The header states the size, so bytes that are appended after `stat` must not be read.
  const range = { start: 0, end: size - 1, highWaterMark: 256 * 1024, autoClose: false }
  // Awaited here: the file is closed when this function returns.
  await addEntry(archive, { name: path, size, mtime }, size === 0 ? [] : file.createReadStream(range))
}

/** Adds a file to the archive, no faster than the archive is read. */
async function addEntry(
  archive: TarPackController,
  header: { readonly name: string; readonly size: number; readonly mtime: Date },
  content: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<void> {
  const writer = archive.add({ ...header, mode: 0o600, type: 'file' }).getWriter()
  for await (const bytes of content) await writer.write(bytes)
  await writer.close()
}

/**
 * Opens a regular file at exactly this path. The browser's user may have replaced it by a link or a
 * pipe.
 */
async function openOwnFile(path: string): Promise<FileHandle | undefined> {
  // A file that was deleted or replaced since it was listed is left out.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined)
  if (file === undefined) return undefined
  const found = await file.stat()
  const actual = await readlink(`/proc/self/fd/${file.fd}`).catch(() => path)
  if (found.isFile() && found.nlink === 1 && actual === path) return file
  await file.close()
  return undefined
}
