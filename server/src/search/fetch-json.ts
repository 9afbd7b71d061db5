import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { BowlineError } from 'bowline/kit/errors'

/** Where and how to ask a search service. */
export interface JsonRequest<Schema extends z.ZodType> {
  /** How messages call it. */
  readonly service: string
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly schema: Schema
  readonly signal: AbortSignal
}

const maxBytes = 10_000_000
const maxTries = 2
const longestPauseMs = 2000

/** Reads JSON from a search service, again after a 429 that asks for a short pause. Throws SEARCH_FAILED, or the signal's reason. */
export async function fetchJson<Schema extends z.ZodType>(request: JsonRequest<Schema>): Promise<z.output<Schema>> {
  const { service, schema, signal } = request
  for (let tries = 1; ; tries += 1) {
    try {
      const response = await ask(request)
      const pauseMs = tries < maxTries ? pauseOf(response) : undefined
      if (pauseMs === undefined) return schema.parse(JSON.parse(await readAnswer(response)))
      await response.body?.cancel()
      await sleep(pauseMs, undefined, { signal })
    } catch (cause) {
      signal.throwIfAborted()
      const why = Error.isError(cause) ? (Error.isError(cause.cause) ? cause.cause.message : cause.message) : ''
      throw new BowlineError('SEARCH_FAILED', `${service} did not answer as expected: ${why.slice(0, 300)}`, { cause })
    }
  }
}

async function ask({ url, headers, signal }: JsonRequest<z.ZodType>): Promise<Response> {
  // A redirect could carry the key to another host.
  return fetch(url, { redirect: 'error', headers: { accept: 'application/json', ...headers }, signal })
}

function pauseOf({ status, headers }: Response): number | undefined {
  if (status !== 429) return undefined
  const ms = Number(headers.get('retry-after') ?? 1) * 1000
  return ms >= 0 && ms <= longestPauseMs ? ms : undefined
}

async function readAnswer(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > maxBytes) throw new Error(`it answered more than ${maxBytes} bytes`)
  }
  if (response.ok) return text
  throw new Error(`it answered ${response.status}: ${text.replaceAll(/\s+/g, ' ').slice(0, 200)}`)
}
