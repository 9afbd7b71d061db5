import { constants } from 'node:fs'
import { open, opendir, readlink, realpath, type FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { pack, type Pack } from 'tar-stream'
import { BowlineError } from 'bowline/kit/errors'
import { isKeptFile, mayHoldKeptFiles } from './kept-paths.ts'

/** Name in the archive of what is kept beside the user-data-dir. */
export const extrasName = 'bowline.json'

/** An archive in the making. Read `stream` to its end, then `contentBytes` is known. */
export interface Packing {
  readonly stream: Pack
  readonly contentBytes: () => number
}

/**
 * Packs what a profile keeps of the user-data-dir of a browser that has ended, with `extras` as its first entry. The
 * stream fails with PROFILE_TOO_LARGE when the contents exceed `quotaBytes`.
 */
export function packProfile(userDataDir: string, extras: string, quotaBytes: number): Packing {
  const archive = pack()
  let contentBytes = 0
  const count = (bytes: number): void => {
    contentBytes += bytes
    if (contentBytes > quotaBytes) throw tooLarge(quotaBytes)
  }
  const fill = async (): Promise<void> => {
    const root = await realpath(userDataDir)
    count(Buffer.byteLength(extras))
    archive.entry({ name: extrasName, mode: 0o600 }, extras)
    for await (const path of keptFiles(root)) await addFile(archive, root, path, count)
    archive.finalize()
  }
  fill().catch((error: unknown) => archive.destroy(Error.isError(error) ? error : new Error(String(error))))
  return { stream: archive, contentBytes: () => contentBytes }
}

/** The error for a profile over its quota. */
export function tooLarge(quotaBytes: number): BowlineError {
  return new BowlineError('PROFILE_TOO_LARGE', `The profile is larger than ${quotaBytes / 1e6} MB`)
}

const keptFiles = async function* (root: string, folder = ''): AsyncGenerator<string> {
  for await (const entry of await opendir(`${root}/${folder}`)) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    // Links are never followed: they may point at files of the server.
    if (entry.isDirectory() && mayHoldKeptFiles(path)) yield* keptFiles(root, path)
    else if (entry.isFile() && isKeptFile(path)) yield path
  }
}

async function addFile(archive: Pack, root: string, path: string, count: (bytes: number) => void): Promise<void> {
  await using file = await openOwnFile(`${root}/${path}`)
  if (file === undefined) return
  const { size, mtime } = await file.stat()
  count(size)
  const header = { name: path, size, mode: 0o600, mtime }
  if (size === 0) {
    archive.entry(header, '')
    return
  }
  // It cannot grow any more, but the header must hold in any case.
  const source = file.createReadStream({ start: 0, end: size - 1, highWaterMark: 256 * 1024, autoClose: false })
  await pipeline(source, archive.entry(header))
}

/** Opens a plain file that is really at this path. The browser's user may have put a link or a pipe in its place. */
async function openOwnFile(path: string): Promise<FileHandle | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined)
  if (file === undefined) return undefined
  const found = await file.stat()
  const actual = await readlink(`/proc/self/fd/${file.fd}`).catch(() => path)
  if (found.isFile() && found.nlink === 1 && actual === path) return file
  await file.close()
  return undefined
}
