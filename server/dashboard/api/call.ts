import type { Failure } from 'bowline/contract/failure'

/** An answer that was no success, or none at all. */
export class Fault extends Error {
  override readonly name = 'Fault'
  /** 0: the server did not answer. */
  readonly status: number
  readonly code: string | undefined
  readonly hint: string | undefined
  readonly requestId: string | undefined
  /** How long the server wants to be left alone. */
  readonly retryAfterMs: number

  constructor(status: number, { error, code, hint, requestId }: Failure, retryAfterMs = 0) {
    super(error)
    this.status = status
    this.code = code
    this.hint = hint
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
  }

  /** Whether this server has no such endpoint. */
  get isMissingRoute(): boolean {
    return this.code === 'ROUTE_NOT_FOUND'
  }
}

/** Whatever was thrown, as a fault. */
export function toFault(error: unknown): Fault {
  return error instanceof Fault
    ? error
    : new Fault(0, { error: error instanceof Error ? error.message : String(error) })
}

/** The public API, called with one key. */
export interface Api {
  readonly get: <Answer>(path: string, signal?: AbortSignal) => Promise<Answer>
  readonly send: <Answer>(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    signal?: AbortSignal,
  ) => Promise<Answer>
  /** An answer that is no JSON. */
  readonly read: (path: string, signal?: AbortSignal) => Promise<Response>
  /** An answer of any status. */
  readonly ask: (path: string, signal?: AbortSignal) => Promise<Response>
}

/** Makes the API for a key. `onRefused` is told when the server does not know the key any more. */
export function createApi(key: string, onRefused: (fault: Fault) => void): Api {
  const request = async (method: string, path: string, body: unknown, signal?: AbortSignal): Promise<Response> => {
    const headers = new Headers({ authorization: `Bearer ${key}` })
    if (body !== undefined) headers.set('content-type', 'application/json')
    const response = await fetch(path, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    }).catch((error: unknown) => {
      if (signal?.aborted === true) throw error
      throw new Fault(0, { error: 'The server does not answer', hint: 'See that it runs, then try again.' })
    })
    if (response.ok && response.headers.get('content-type')?.includes('json') !== true) return response
    return response.ok ? response : refuse(response, onRefused)
  }
  const json = async <Answer>(response: Promise<Response>): Promise<Answer> => {
    const answered = await response
    const answer = (await answered.json().catch((error: unknown) => {
      if (!(error instanceof SyntaxError)) throw error
      const hint = 'Something before the server may have answered in its place, such as a proxy that wants a sign-in.'
      throw new Fault(answered.status, { error: 'The answer is not one of this API', hint })
    })) as Answer & Partial<Failure>
    // Some failures of the API have the status 200.
    if (answer.success === false && typeof answer.error === 'string')
      throw new Fault(answered.status, answer as Failure)
    return answer
  }
  return {
    get: async (path, signal) => json(request('GET', path, undefined, signal)),
    send: async (method, path, body, signal) => json(request(method, path, body, signal)),
    read: async (path, signal) => request('GET', path, undefined, signal),
    ask: async (path, signal) => fetch(path, { headers: { authorization: `Bearer ${key}` }, signal: signal ?? null }),
  }
}

async function refuse(response: Response, onRefused: (fault: Fault) => void): Promise<never> {
  const failure = (await response.json().catch(() => undefined)) as Partial<Failure> | undefined
  const error = failure?.error ?? `The server answered ${response.status} ${response.statusText}`
  const retryAfterMs = Number(response.headers.get('retry-after') ?? 0) * 1000 || 0
  const fault = new Fault(response.status, { ...failure, error }, retryAfterMs)
  if (fault.status === 401) onRefused(fault)
  throw fault
}
