import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { describe } from 'vitest'
import { parseBlobLocation, type BlobLocation } from '../../server/src/blobs/blobs.ts'
import { labS3Credentials, startBucket } from './bucket.ts'
import { temporaryFolder } from './stores.ts'

/** A location for blobs. Disposing deletes it. */
export type LabBlobLocation = AsyncDisposable & { readonly location: BlobLocation; readonly address: string }

/** A temporary folder. */
export async function openFolderLocation(): Promise<LabBlobLocation> {
  const { path, [Symbol.asyncDispose]: dispose } = await temporaryFolder()
  return { address: path, location: parseBlobLocation(path, undefined), [Symbol.asyncDispose]: dispose }
}

/** A bucket of an S3-compatible server on a free port of 127.0.0.1. */
export async function openS3Location(): Promise<LabBlobLocation> {
  const { address, [Symbol.asyncDispose]: dispose } = await startBucket()
  return { address, location: parseBlobLocation(address, labS3Credentials), [Symbol.asyncDispose]: dispose }
}

/** Runs a spec once with a folder and once with a bucket. */
export function describeEachLocation(title: string, spec: (open: () => Promise<LabBlobLocation>) => void): void {
  describe(`${title}, in a folder`, () => spec(openFolderLocation))
  describe(`${title}, in a bucket`, () => spec(openS3Location))
}

/** A bucket behind a TCP proxy that can be cut: then all connections are closed at once. */
export async function openCuttableBucket(): Promise<LabBlobLocation & { readonly setCut: (isCut: boolean) => void }> {
  await using undo = new AsyncDisposableStack()
  const bucket = undo.use(await openS3Location())
  const endpoint = new URL(new URL(bucket.address).searchParams.get('endpoint') ?? '')
  const sockets = new Set<Socket>()
  let isNowCut = false
  const line = createServer((client) => {
    const upstream = connect(Number(endpoint.port), endpoint.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    }
    if (isNowCut) return client.destroy()
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    client.pipe(upstream).pipe(client)
    return undefined
  })
  line.listen(0, '127.0.0.1')
  await once(line, 'listening')
  undo.defer(async () => {
    const closed = once(line, 'close')
    line.close()
    for (const socket of sockets) socket.destroy()
    await closed
  })
  const { port } = line.address() as AddressInfo
  const address = bucket.address.replace(
    encodeURIComponent(endpoint.origin),
    encodeURIComponent(`http://127.0.0.1:${port}`),
  )
  const owned = undo.move()
  return {
    address,
    location: parseBlobLocation(address, labS3Credentials),
    setCut: (isCut: boolean) => {
      isNowCut = isCut
      if (isCut) for (const socket of sockets) socket.destroy()
    },
    [Symbol.asyncDispose]: async () => owned.disposeAsync(),
  }
}
