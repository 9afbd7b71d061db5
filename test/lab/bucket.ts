import { once } from 'node:events'
import type { Server } from 'node:http'
import S3rver from 's3rver'
import { temporaryFolder } from './stores.ts'

/** Key pair of the bucket. */
export const labS3Credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' } as const

/** An empty bucket. Disposing deletes it. */
export interface Bucket extends AsyncDisposable {
  /** Port of the S3-compatible server on 127.0.0.1. */
  readonly port: number
  /** Address of the bucket for `--blobs`. */
  readonly address: string
}

/** Starts an S3-compatible server with a bucket on a free port of 127.0.0.1. */
export async function startBucket(): Promise<Bucket> {
  await using undo = new AsyncDisposableStack()
  const folder = undo.use(await temporaryFolder())
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: folder.path,
    configureBuckets: [{ name: 'lab', configs: [] }],
  })
  const { port } = await server.run()
  undo.defer(async () => {
    const { httpServer } = server as unknown as { httpServer: Server }
    httpServer.closeAllConnections()
    httpServer.close()
    await once(httpServer, 'close')
  })
  const owned = undo.move()
  return { port, address: bucketAddress(port), [Symbol.asyncDispose]: async () => owned.disposeAsync() }
}

/** Returns the address of the bucket at a port of 127.0.0.1. */
export function bucketAddress(port: number): string {
  return `s3://lab/some/prefix?region=us-east-1&endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}`
}
