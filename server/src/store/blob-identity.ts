import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { uuidV7 } from 'bowline/kit/ids'
import type { BlobLocation } from './blobs.ts'

const markerName = '.bowline-id'

/**
 * A text that is equal for two servers exactly if they store blobs in the same place. A folder is known by a file in it,
 * because two machines may each have a folder at the same path, or one folder at two.
 */
export async function identifyBlobs(location: BlobLocation): Promise<string> {
  // Not its endpoint: the servers of one cluster may reach a service under different addresses.
  if (location.kind === 's3') return `s3://${location.bucket}/${location.prefix}`
  const path = join(location.path, markerName)
  const read = async (): Promise<string> => (await readFile(path, 'utf8')).trim()
  await writeFile(path, `${uuidV7()}\n`, { mode: 0o600, flag: 'wx', flush: true }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  })
  return `folder ${await read()}`
}
