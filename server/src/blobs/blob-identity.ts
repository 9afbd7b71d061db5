import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { uuidV7 } from 'bowline/kit/ids'
import type { BlobLocation } from './blobs.ts'

const markerName = '.bowline-id'

/** Milliseconds between two reads of a marker that another server is writing. */
const rereadMs = 20

/**
 * Returns an identifier that two servers share if and only if they use the same blob storage. A
 * folder is identified by a marker file in it, as paths differ between machines and mounts.
 *
 * `emptyAfterMs`: milliseconds after which an empty marker counts as left behind by a crash.
 */
export async function identifyBlobs(location: BlobLocation, { emptyAfterMs = 5000 } = {}): Promise<string> {
  // Ignores the endpoint: servers of a cluster may reach the service at different addresses.
  if (location.kind === 's3') return `s3://${location.bucket}/${location.prefix}`
  const path = join(location.path, markerName)
  await writeMarker(path, 'wx').catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  })
  const endMs = performance.now() + emptyAfterMs
  for (;;) {
    const id = (await readFile(path, 'utf8')).trim()
    if (id !== '') return `folder ${id}`
    // A server that starts at the same time has created the file and not yet written it.
    if (performance.now() > endMs) await writeMarker(path, 'w')
    else await sleep(rereadMs)
  }
}

async function writeMarker(path: string, flag: 'w' | 'wx'): Promise<void> {
  await writeFile(path, `${uuidV7()}\n`, { mode: 0o600, flag, flush: true })
}
