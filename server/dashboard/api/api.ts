import type { Failure } from 'bowline/contract/failure'

/** An error response, or a failed request. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** HTTP status. 0 if there was no response. */
  readonly status: number
  readonly code: string | undefined
  readonly hint: string | undefined
  readonly requestId: string | undefined
  /** From `Retry-After`. */
  readonly retryAfterMs: number

  constructor(status: number, { error, code, hint, requestId }: Failure, retryAfterMs = 0) {
    super(error)
    this.status = status
    this.code = code
    this.hint = hint
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
  }

  /** Whether the server does not have this endpoint. */
  get isMissingRoute(): boolean {
    return this.code === 'ROUTE_NOT_FOUND'
  }
}

/** Converts any thrown value to an `ApiError`. */
export function toApiError(error: unknown): ApiError {
  return error instanceof ApiError
    ? error
    : new ApiError(0, { error: error instanceof Error ? error.message : String(error) })
}

/** A client of the public API with one key. */
export interface Api {
  readonly get: <Result>(path: string, signal?: AbortSignal) => Promise<Result>
  readonly send: <Result>(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    signal?: AbortSignal,
  ) => Promise<Result>
  /** Fetches a response that is not JSON. */
  readonly fetchResponse: (path: string, signal?: AbortSignal) => Promise<Response>
  /** Fetches a response of any status. */
  readonly fetchAnyStatus: (path: string, signal?: AbortSignal) => Promise<Response>
}

/** Creates an API client. Calls `onUnauthorized` when the server responds with 401. */
export function createApi(key: string, onUnauthorized: (apiError: ApiError) => void): Api {
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
      throw new ApiError(0, {
        error: 'The server is not responding',
        hint: 'Check that it is running, then try again.',
      })
    })
    return response.ok ? response : throwFailure(response, onUnauthorized)
  }
  const json = async <Result>(response: Promise<Response>): Promise<Result> => {
    const answered = await response
    const result = (await answered.json().catch((error: unknown) => {
      if (!(error instanceof SyntaxError)) throw error
      const hint = 'A proxy in front of the server may have responded instead, for example with a sign-in page.'
      throw new ApiError(answered.status, { error: 'The response is not from the Bowline API', hint })
    })) as Result & Partial<Failure>
    // Some error responses of the API have status 200.
    if (result.success === false && typeof result.error === 'string')
      throw new ApiError(answered.status, result as Failure)
    return result
  }
  return {
    get: async (path, signal) => json(request('GET', path, undefined, signal)),
    send: async (method, path, body, signal) => json(request(method, path, body, signal)),
    fetchResponse: async (path, signal) => request('GET', path, undefined, signal),
    fetchAnyStatus: async (path, signal) =>
      fetch(path, { headers: { authorization: `Bearer ${key}` }, signal: signal ?? null }),
  }
}

async function throwFailure(response: Response, onUnauthorized: (apiError: ApiError) => void): Promise<never> {
  // A proxy in front of the server may respond with something other than JSON.
  const failure = (await response.json().catch(() => undefined)) as Partial<Failure> | undefined
  const error = failure?.error ?? `The server responded with ${response.status} ${response.statusText}`
  const retryAfterMs = Number(response.headers.get('retry-after') ?? 0) * 1000 || 0
  const apiError = new ApiError(response.status, { ...failure, error }, retryAfterMs)
  if (apiError.status === 401) onUnauthorized(apiError)
  throw apiError
}
