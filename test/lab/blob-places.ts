import { once } from 'node:events'
import type { Server } from 'node:http'
import S3rver from 's3rver'
import { describe } from 'vitest'
import { parseBlobPlace, type BlobPlace } from '../../src/server/store/blobs.ts'
import { temporaryFolder } from './stores.ts'

/** A place for blobs. Disposing removes it with all it holds. */
export type LabBlobPlace = AsyncDisposable & { readonly place: BlobPlace; readonly address: string }

/** Key pair of the bucket. */
export const labS3Credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' } as const

/** A temporary folder. */
export const openFolderPlace = async (): Promise<LabBlobPlace> => {
  const { path, [Symbol.asyncDispose]: dispose } = await temporaryFolder()
  return { address: path, place: parseBlobPlace(path, undefined), [Symbol.asyncDispose]: dispose }
}

/** A bucket of an S3-compatible server on a free port of 127.0.0.1. */
export const openS3Place = async (): Promise<LabBlobPlace> => {
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
  const address = `s3://lab/some/prefix?region=us-east-1&endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}`
  const owned = undo.move()
  return {
    address,
    place: parseBlobPlace(address, labS3Credentials),
    [Symbol.asyncDispose]: async () => owned.disposeAsync(),
  }
}

/** Runs a spec once with a folder and once with a bucket. */
export const describeEachPlace = (title: string, spec: (open: () => Promise<LabBlobPlace>) => void): void => {
  describe(`${title}, in a folder`, () => spec(openFolderPlace))
  describe(`${title}, in a bucket`, () => spec(openS3Place))
}
