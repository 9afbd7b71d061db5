import { sleep } from 'bowline/kit/sleep'
import type { z } from 'zod'
import { BowlineError } from 'bowline/kit/errors'
import { readResponseText } from '../kit/read-response-text.ts'

/** A request to a search service. */
export interface JsonRequest<Schema extends z.ZodType> {
  /** Name of the service for error messages. */
  readonly service: string
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly schema: Schema
  readonly signal: AbortSignal
}

const maxBytes = 10_000_000
const maxAttempts = 2
const maxRetryAfterMs = 2000

/**
 * Fetches JSON from a search service. Retries once after a 429 with a `Retry-After` of at most 2 s.
 * Throws SEARCH_FAILED, or the signal's reason.
 */
export async function fetchJson<Schema extends z.ZodType>(request: JsonRequest<Schema>): Promise<z.output<Schema>> {
  const { service, schema, signal } = request
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetchResponse(request)
      const pauseMs = attempt < maxAttempts ? retryDelayOf(response) : undefined
      if (pauseMs === undefined) return schema.parse(JSON.parse(await readBody(response)))
      await response.body?.cancel()
      await sleep(pauseMs, signal)
    } catch (cause) {
      signal.throwIfAborted()
      const why = Error.isError(cause) ? (Error.isError(cause.cause) ? cause.cause.message : cause.message) : ''
      throw new BowlineError('SEARCH_FAILED', `${service} request failed: ${why.slice(0, 300)}`, { cause })
    }
  }
}

async function fetchResponse({ url, headers, signal }: JsonRequest<z.ZodType>): Promise<Response> {
  // A redirect could send the key to another host.
  return fetch(url, { redirect: 'error', headers: { accept: 'application/json', ...headers }, signal })
}

function retryDelayOf({ status, headers }: Response): number | undefined {
  if (status !== 429) return undefined
  const ms = Number(headers.get('retry-after') ?? 1) * 1000
  return ms >= 0 && ms <= maxRetryAfterMs ? ms : undefined
}

async function readBody(response: Response): Promise<string> {
  const text = await readResponseText(response, maxBytes)
  if (response.ok) return text
  throw new Error(`HTTP ${response.status}: ${text.replaceAll(/\s+/g, ' ').slice(0, 200)}`)
}
