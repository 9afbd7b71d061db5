import { addAbortSignal, Readable } from 'node:stream'
import type { S3ClientConfig } from '@aws-sdk/client-s3'
import { BowlineError } from 'bowline/kit/errors'
import { sleep } from 'bowline/kit/sleep'
import { loadOptional } from '../kit/optional-package.ts'
import { limitResponses } from './limit-responses.ts'
import { uploadToS3 } from './s3-upload.ts'

/** Bucket of an S3-compatible service. */
export interface S3Location {
  readonly kind: 's3'
  readonly bucket: string
  /** Prefix of every key. */
  readonly prefix: string
  /** Default: the AWS endpoint of the region. */
  readonly endpoint: string | undefined
  readonly region: string
  /** Default: the credential chain of the AWS SDK, such as the instance role. */
  readonly credentials: S3Credentials | undefined
}

/** Credentials of an S3-compatible service. */
export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

/** Timeouts of requests to a bucket, in milliseconds. */
export interface S3Timeouts {
  /** Time without data. */
  readonly idleTimeoutMs: number
  /** Time until the response starts. */
  readonly responseTimeoutMs: number
}

/**
 * Opens a blob store in a bucket. Throws PACKAGE_MISSING if the AWS SDK is not installed. Requests
 * are repeated in the first 3 seconds of an outage, then they reject with STORE_UNAVAILABLE.
 */
export async function openS3Blobs(location: S3Location, { idleTimeoutMs, responseTimeoutMs }: S3Timeouts) {
  // Imported on demand, as it takes half a second to load.
  const sdk = await loadOptional('@aws-sdk/client-s3', '`--blobs s3://…`', async () => import('@aws-sdk/client-s3'))
  const client = new sdk.S3Client(clientOptions(location, idleTimeoutMs))
  limitResponses(client, responseTimeoutMs)
  const outages = new Outages()
  client.middlewareStack.add((next) => async (request) => outages.wait(async () => next(request)), {
    step: 'initialize',
    priority: 'high',
  })
  const objectOf = (key: string) => ({ Bucket: location.bucket, Key: keyOf(location, key) })
  return {
    write: async (key: string, contents: Readable, signal?: AbortSignal): Promise<void> =>
      uploadToS3({ sdk, client }, objectOf(key), contents, signal),
    has: async (key: string): Promise<boolean> => {
      try {
        await client.send(new sdk.HeadObjectCommand(objectOf(key)))
        return true
      } catch (error) {
        if (error instanceof sdk.S3ServiceException && error.$metadata.httpStatusCode === 404) return false
        throw error
      }
    },
    read: async (key: string, signal?: AbortSignal): Promise<Readable> => {
      const { Body } = await client.send(new sdk.GetObjectCommand(objectOf(key)), sendOptions(signal))
      if (!(Body instanceof Readable)) throw new Error(`The S3 object ${key} has no body`)
      return signal === undefined ? Body : addAbortSignal(signal, Body)
    },
    delete: async (key: string): Promise<void> => {
      await client.send(new sdk.DeleteObjectCommand(objectOf(key)))
    },
    list: async function* (folder?: string): AsyncGenerator<string> {
      const start = location.prefix === '' ? '' : `${location.prefix}/`
      const prefix = folder === undefined ? start : `${start}${folder}/`
      for await (const { Contents = [] } of sdk.paginateListObjectsV2(
        { client },
        { Bucket: location.bucket, Prefix: prefix },
      )) {
        // Skips the empty objects that some consoles create as folders.
        for (const { Key = '' } of Contents) if (!Key.endsWith('/')) yield Key.slice(start.length)
      }
    },
  }
}

/** Milliseconds of an outage in which requests are repeated. */
const outageMs = 3000

const retryMs = 300

/** Milliseconds without a failed request after which the next one is part of another outage. */
const quietMs = 10_000

/** Milliseconds without requests after one has timed out, if no other got a response meanwhile. */
const pauseMs = 5000

/** Repeats requests at the start of an outage. Later ones fail at once, so that callers go on. */
class Outages {
  #startMs = -Infinity
  #lastResponseMs = -Infinity
  #pausedUntilMs = -Infinity
  #timeout: unknown
  #lastFailureMs = -Infinity

  /** Sends a request. */
  async wait<Output>(send: () => Promise<Output>): Promise<Output> {
    const sentMs = performance.now()
    // Each further request would wait for the whole timeout.
    if (sentMs < this.#pausedUntilMs) throw unavailable(this.#timeout)
    for (;;) {
      try {
        const output = await send()
        this.#noteResponse()
        this.#lastFailureMs = -Infinity
        return output
      } catch (error) {
        if (!isOutage(error)) {
          this.#noteResponse()
          throw error
        }
        const nowMs = performance.now()
        if (nowMs - this.#lastFailureMs > quietMs) this.#startMs = sentMs
        this.#lastFailureMs = nowMs
        if (isTimeout(error) && this.#lastResponseMs < sentMs) {
          this.#pausedUntilMs = nowMs + pauseMs
          this.#timeout = error
        }
        if (nowMs - this.#startMs > outageMs) throw unavailable(error)
        await sleep(retryMs)
      }
    }
  }

  #noteResponse(): void {
    this.#lastResponseMs = performance.now()
    this.#pausedUntilMs = -Infinity
  }
}

/** Whether the service did not respond to a request, or refused it as overloaded or failing. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { httpStatusCode } = '$metadata' in error ? (error.$metadata as { readonly httpStatusCode?: number }) : {}
  if (httpStatusCode !== undefined) return httpStatusCode >= 500 || httpStatusCode === 429
  const code = 'code' in error ? error.code : undefined
  return 'syscall' in error || isTimeout(error) || code === 'ECONNRESET' || code === 'EPIPE'
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}

/** Creates the error for an outage. The address of the service is only in its cause. */
function unavailable(cause: unknown): BowlineError {
  return new BowlineError('STORE_UNAVAILABLE', 'The bucket of the server does not respond', {
    cause,
    hint: 'Retry after the seconds in `Retry-After`. If the error persists, check `--blobs` and the server log.',
    retryAfterSeconds: 2,
  })
}

function clientOptions(location: S3Location, idleTimeoutMs: number): S3ClientConfig {
  return {
    region: location.region,
    maxAttempts: 2,
    // The SDK's default is no timeout, which would block the end of sessions and the server's
    // shutdown.
    requestHandler: { connectionTimeout: idleTimeoutMs, socketTimeout: idleTimeoutMs },
    ...(location.endpoint !== undefined && { endpoint: location.endpoint, forcePathStyle: true }),
    ...(location.credentials !== undefined && {
      credentials: { ...location.credentials, sessionToken: location.credentials.sessionToken ?? '' },
    }),
  }
}

function keyOf({ prefix }: S3Location, key: string): string {
  return prefix === '' ? key : `${prefix}/${key}`
}

function sendOptions(signal: AbortSignal | undefined): { readonly abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal }
}
