import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writePrivate } from '../identity.ts'

/**
 * Writes the server's URL and pid to the data directory, where the CLI on this machine finds them.
 */
export async function writeServerFile(resources: AsyncDisposableStack, dataDir: string, url: string): Promise<void> {
  const path = join(dataDir, 'server.json')
  await writePrivate(path, `${JSON.stringify({ url, pid: process.pid })}\n`)
  resources.defer(async () => rm(path, { force: true }))
}
