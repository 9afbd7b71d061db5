import { lstat, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { dayMs } from 'bowline/kit/day-ms'

/** How long an unused template is kept, in milliseconds. */
const unusedMs = 30 * dayMs

/** Names of templates, and of drafts that a killed server left behind. */
const templateName = /^store-[0-9a-f]{16}\.zst(?:\.[0-9a-f-]{36})?$/

/**
 * Deletes the templates of other versions that have not been used for 30 days. Skips everything
 * else in the folder: other names, links, folders and files of other users. Never rejects, since
 * the folder may be read-only. Other servers that share the folder create a missing template again.
 */
export async function sweepTemplates(cacheDir: string): Promise<void> {
  const names = await readdir(cacheDir).catch(() => [])
  for (const name of names.filter((each) => templateName.test(each))) {
    const path = join(cacheDir, name)
    // Another server may delete it at the same time.
    const found = await lstat(path).catch(() => undefined)
    const isOwn = found?.isFile() === true && found.uid === (process.geteuid?.() ?? found.uid)
    if (isOwn && Date.now() - found.mtimeMs > unusedMs) await unlink(path).catch(() => undefined)
  }
}
