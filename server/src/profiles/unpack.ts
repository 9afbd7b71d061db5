import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import { BowlineError } from 'bowline/kit/errors'
import { isProfileFile } from './profile-paths.ts'
import { sessionCookiesName, tooLarge } from './pack.ts'

/**
 * Unpacks an archive into an empty user-data-dir and returns its session cookies as JSON. Throws
 * PROFILE_UNREADABLE if it contains anything except profile files, PROFILE_TOO_LARGE if it exceeds
 * `quotaBytes`.
 */
export async function unpackProfile(archive: Readable, userDataDir: string, quotaBytes: number): Promise<string> {
  // Without `strict`, a truncated archive and wrong checksums would pass.
  const entries = Readable.toWeb(archive).pipeThrough(createTarDecoder({ strict: true }))
  let sessionCookiesJson = '{}'
  let leftBytes = quotaBytes
  const folders = new Set<string>()
  try {
    for await (const entry of entries) {
      leftBytes -= entry.header.size
      if (leftBytes < 0) throw tooLarge(quotaBytes)
      if (entry.header.name === sessionCookiesName) sessionCookiesJson = await text(entry.body)
      else await writeEntry(entry, userDataDir, folders)
    }
    return sessionCookiesJson
  } catch (error) {
    // The decoder would end its source only with the next bytes, which may never come.
    archive.destroy()
    throw error
  }
}

async function writeEntry(entry: ParsedTarEntry, userDataDir: string, folders: Set<string>): Promise<void> {
  const { name, type } = entry.header
  if (type !== 'file' || !isProfileFile(name)) {
    throw new BowlineError(
      'PROFILE_UNREADABLE',
      `The saved profile contains an unexpected ${type}: ${JSON.stringify(name)}`,
    )
  }
  const path = join(userDataDir, name)
  const folder = dirname(path)
  if (!folders.has(folder)) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    folders.add(folder)
  }
  // `wx`: existing files, and links in particular, are never written to.
  await writeFile(path, entry.body, { flag: 'wx', mode: 0o600 })
}
