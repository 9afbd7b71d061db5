import type { S3Client } from '@aws-sdk/client-s3'
import { mergeSignals } from 'bowline/kit/abort'

/** Upload speed, in bytes per millisecond, below which a request counts as unanswered. */
const slowestUpload = 50

/**
 * Aborts each attempt of a request for which no response arrives within `timeoutMs` and the time to
 * upload its body. The error is a `TimeoutError`. Reading the body of a response takes as long as
 * its client needs, and completing a multipart upload as long as the service needs.
 */
export function limitResponses({ config: { requestHandler } }: S3Client, timeoutMs: number): void {
  const handle = requestHandler.handle.bind(requestHandler)
  requestHandler.handle = async (request, options: { readonly abortSignal?: unknown } = {}) => {
    // Only multipart uploads are started and completed with POST.
    if (request.method === 'POST') return handle(request, options)
    const limit = new AbortController()
    const uploadMs = Number(request.headers['content-length'] ?? 0) / slowestUpload
    const timer = setTimeout(() => limit.abort(), timeoutMs + uploadMs)
    const given = options.abortSignal instanceof AbortSignal ? options.abortSignal : undefined
    try {
      return await handle(request, { ...options, abortSignal: mergeSignals(limit.signal, given) })
    } catch (error) {
      if (!limit.signal.aborted || given?.aborted === true) throw error
      const timedOut = new Error(`The request timed out after ${Math.round(timeoutMs + uploadMs)} ms`, { cause: error })
      throw Object.assign(timedOut, { name: 'TimeoutError' })
    } finally {
      clearTimeout(timer)
    }
  }
}
