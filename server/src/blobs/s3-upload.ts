import { addAbortSignal, type Readable } from 'node:stream'
import type * as Sdk from '@aws-sdk/client-s3'

/** The AWS SDK and an S3 client. */
export interface S3Connection {
  readonly sdk: typeof Sdk
  readonly client: Sdk.S3Client
}

/** Location of an object. */
export interface S3Object {
  readonly Bucket: string
  readonly Key: string
}

/**
 * Uploads a stream of unknown length. The object appears only once it is complete, and never
 * after a failure or abort.
 */
export async function uploadToS3(
  connection: S3Connection,
  object: S3Object,
  contents: Readable,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted()
  if (signal !== undefined) addAbortSignal(signal, contents)
  const { sdk, client } = connection
  const parts = splitIntoChunks(contents)
  try {
    const first = await parts.next()
    const Body = first.done === true ? Buffer.alloc(0) : first.value
    if (Body.length === partBytes) return await uploadMultipart(connection, object, Body, parts, signal)
    await client.send(new sdk.PutObjectCommand({ ...object, ContentType, Body }), sendOptions(signal))
    return undefined
  } catch (error) {
    contents.destroy()
    signal?.throwIfAborted()
    throw error
  }
}

const ContentType = 'application/octet-stream'

/** Part size. S3 accepts 10,000 parts of at least 5 MiB, so objects can have 80 GB. */
const partBytes = 8 * 1024 * 1024

async function uploadMultipart(
  { sdk, client }: S3Connection,
  object: S3Object,
  first: Buffer,
  rest: AsyncIterable<Buffer>,
  signal: AbortSignal | undefined,
): Promise<void> {
  // Operators can disable checksums for services that reject them, with
  // AWS_REQUEST_CHECKSUM_CALCULATION.
  const isChecked = (await client.config.requestChecksumCalculation()) === 'WHEN_SUPPORTED'
  const checksum = isChecked ? { ChecksumAlgorithm: sdk.ChecksumAlgorithm.CRC32 } : {}
  const created = await client.send(
    new sdk.CreateMultipartUploadCommand({ ...object, ContentType, ...checksum }),
    sendOptions(signal),
  )
  const upload = { ...object, UploadId: created.UploadId }
  const done: Sdk.CompletedPart[] = []
  const send = async (Body: Buffer): Promise<void> => {
    const PartNumber = done.length + 1
    const command = new sdk.UploadPartCommand({ ...upload, PartNumber, Body, ...checksum })
    const { ETag, ChecksumCRC32 } = await client.send(command, sendOptions(signal))
    done.push({ PartNumber, ETag, ...(ChecksumCRC32 !== undefined && { ChecksumCRC32 }) })
  }
  try {
    await send(first)
    for await (const part of rest) await send(part)
    const MultipartUpload = { Parts: done }
    await client.send(new sdk.CompleteMultipartUploadCommand({ ...upload, MultipartUpload }), sendOptions(signal))
  } catch (error) {
    // Uploaded parts are billed until the upload is aborted.
    await client.send(new sdk.AbortMultipartUploadCommand(upload)).catch(() => undefined)
    throw error
  }
}

/** Splits a stream into buffers of `partBytes`. The last one may be shorter. */
async function* splitIntoChunks(contents: Readable): AsyncGenerator<Buffer, undefined> {
  let chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of contents as AsyncIterable<Uint8Array | string>) {
    chunks.push(
      typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length),
    )
    bytes += chunks.at(-1)?.length ?? 0
    if (bytes < partBytes) continue
    let whole = Buffer.concat(chunks)
    for (; whole.length >= partBytes; whole = whole.subarray(partBytes)) yield whole.subarray(0, partBytes)
    chunks = [whole]
    bytes = whole.length
  }
  if (bytes > 0) yield Buffer.concat(chunks)
  return undefined
}

function sendOptions(signal: AbortSignal | undefined): { readonly abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal }
}
