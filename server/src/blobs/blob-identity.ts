import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { uuidV7 } from 'bowline/kit/ids'
import type { BlobLocation } from './blobs.ts'

const markerName = '.bowline-id'

/**
 * Returns an identifier that two servers share if and only if they use the same blob storage. A
 * folder is identified by a marker file in it, as paths differ between machines and mounts.
 */
export async function identifyBlobs(location: BlobLocation): Promise<string> {
  // Ignores the endpoint: servers of a cluster may reach the service at different addresses.
  if (location.kind === 's3') return `s3://${location.bucket}/${location.prefix}`
  const path = join(location.path, markerName)
  const read = async (): Promise<string> => (await readFile(path, 'utf8')).trim()
  await writeFile(path, `${uuidV7()}\n`, { mode: 0o600, flag: 'wx', flush: true }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  })
  return `folder ${await read()}`
}
