import { mkdir } from 'node:fs/promises'
import { pipeline, type Readable } from 'node:stream'
import { pipeline as pipelineDone } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { packTar, unpackTar } from 'modern-tar/fs'

/** Name of the files of an embedded database in a backup. */
export const clusterName = 'database.tar.zst'

/** Packs the files of an embedded database. The stream fails if one of them cannot be read. */
export function packCluster(folder: string): Readable {
  const compressed = createZstdCompress()
  // A failure destroys the result, which its reader sees.
  pipeline(packTar(folder), compressed, () => undefined)
  return compressed
}

/** Unpacks the files of an embedded database into a new folder, readable by their owner only. */
export async function unpackCluster(packed: Readable, folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 })
  await pipelineDone(packed, createZstdDecompress(), unpackTar(folder, { fmode: 0o600, dmode: 0o700, strict: true }))
}
