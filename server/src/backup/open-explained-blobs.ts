import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { describeBlobLocation, openBlobs, type BlobLocation, type Blobs } from '../blobs/blobs.ts'

/**
 * Opens blobs for a command: errors of an S3 service become CONFIG_INVALID with the name of the
 * bucket.
 */
export async function openExplainedBlobs(location: BlobLocation): Promise<Blobs> {
  const blobs = await openBlobs(location)
  if (location.kind === 'folder') return blobs
  const name = describeBlobLocation(location)
  const explain = async <Value>(pending: Promise<Value>): Promise<Value> =>
    pending.catch((error: unknown) => {
      throw explained(error, name)
    })
  return {
    write: async (key, contents, signal) => explain(blobs.write(key, contents, signal)),
    read: async (key, signal) => explain(blobs.read(key, signal)),
    has: async (key) => explain(blobs.has(key)),
    delete: async (key) => explain(blobs.delete(key)),
    list: async function* (folder) {
      try {
        yield* blobs.list(folder)
      } catch (error) {
        throw explained(error, name)
      }
    },
  }
}

function explained(thrown: unknown, name: string): unknown {
  const error = isBowlineError(thrown) && thrown.code === 'STORE_UNAVAILABLE' ? thrown.cause : thrown
  // Files of this machine, which are written to the bucket, have errors with a path.
  if (!Error.isError(error) || isBowlineError(error) || 'path' in error) return error
  return new BowlineError('CONFIG_INVALID', `${name} cannot be used: ${error.message || error.name}`, {
    cause: error,
    hint: 'Check the bucket, `?region=` and `?endpoint=`, and the credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  })
}
