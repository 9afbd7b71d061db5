import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { text } from 'node:stream/consumers'
import { extract, type Extract } from 'tar-stream'
import { BowlineError } from 'bowline/kit/errors'
import { isKeptFile } from './kept-paths.ts'
import { extrasName, tooLarge } from './pack.ts'

type Entry = Extract extends AsyncIterable<infer Each> ? Each : never

/**
 * Unpacks an archive into an empty user-data-dir and answers its extras. Nothing but plain files that a profile keeps is
 * accepted. Throws PROFILE_UNREADABLE for anything else, PROFILE_TOO_LARGE beyond `quotaBytes`.
 */
export async function unpackProfile(
  archive: Readable,
  userDataDir: string,
  quotaBytes: number,
  signal?: AbortSignal,
): Promise<string> {
  const entries = extract()
  const feeding = pipeline(archive, entries, { signal })
  // Its failure ends the loop below, too, which is where it is seen.
  feeding.catch(() => undefined)
  let extras = '{}'
  let leftBytes = quotaBytes
  const folders = new Set<string>()
  for await (const entry of entries) {
    leftBytes -= entry.header.size ?? 0
    if (leftBytes < 0) throw tooLarge(quotaBytes)
    if (entry.header.name === extrasName) extras = await text(entry)
    else await writeEntry(entry, userDataDir, folders)
  }
  await feeding
  return extras
}

async function writeEntry(entry: Entry, userDataDir: string, folders: Set<string>): Promise<void> {
  const { name, type } = entry.header
  if (type !== 'file' || !isKeptFile(name)) {
    throw new BowlineError('PROFILE_UNREADABLE', `The saved profile holds ${JSON.stringify(name)}, a ${type}`)
  }
  const path = join(userDataDir, name)
  const folder = dirname(path)
  if (!folders.has(folder)) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    folders.add(folder)
  }
  // `wx`: whatever is there already, a link above all, is not written to.
  await pipeline(entry, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
}
