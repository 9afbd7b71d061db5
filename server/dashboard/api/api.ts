import type { Failure } from 'bowline/contract/failure'
import { isRefusal } from 'bowline/contract/failure-body'
import { fillPath } from 'bowline/contract/fill-path'
import { paths, type PathName } from 'bowline/contract/paths'
import type { RouteInput, RouteOutput } from 'bowline/contract/route-types'

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
  /** Calls a route. Throws an `ApiError`. */
  readonly call: <Name extends PathName>(
    name: Name,
    input: RouteInput<Name>,
    signal?: AbortSignal,
  ) => Promise<RouteOutput<Name>>
  /** Calls a route whose body is a file. Throws an `ApiError`. */
  readonly upload: <Name extends PathName>(name: Name, file: Blob, signal?: AbortSignal) => Promise<RouteOutput<Name>>
  /** Fetches a response that is not JSON. */
  readonly fetchResponse: (path: string, signal?: AbortSignal) => Promise<Response>
  /** Fetches a response of any status. */
  readonly fetchAnyStatus: (path: string, signal?: AbortSignal) => Promise<Response>
}

interface LooseInput {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
}

/** Returns the path and query of a call. Omits empty values of the query. */
export function urlOf<Name extends PathName>(name: Name, input: RouteInput<Name>): string {
  const { params = {}, query = {} } = input as LooseInput
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(key, String(value))
  }
  return fillPath<string>(paths[name].path, params) + (search.size === 0 ? '' : `?${search.toString()}`)
}

/** Creates an API client. Calls `onUnauthorized` when the server responds with 401. */
export function createApi(key: string, onUnauthorized: (apiError: ApiError) => void): Api {
  const request = async (method: string, path: string, body: unknown, signal?: AbortSignal): Promise<Response> => {
    const headers = new Headers({ authorization: `Bearer ${key}` })
    if (body !== undefined) {
      headers.set('content-type', body instanceof Blob ? 'application/octet-stream' : 'application/json')
    }
    const response = await connect(path, {
      method,
      headers,
      body: body === undefined ? null : body instanceof Blob ? body : JSON.stringify(body),
      signal: signal ?? null,
    })
    return response.ok ? response : throwFailure(response, onUnauthorized)
  }
  return {
    call: async (name, input, signal) => {
      const { body } = input as LooseInput
      return readJson(await request(paths[name].method, urlOf(name, input), body, signal))
    },
    upload: async (name, file, signal) => readJson(await request(paths[name].method, paths[name].path, file, signal)),
    fetchResponse: async (path, signal) => request('GET', path, undefined, signal),
    fetchAnyStatus: async (path, signal) =>
      connect(path, { headers: { authorization: `Bearer ${key}` }, signal: signal ?? null }),
  }
}

/** Sends a request. Throws an `ApiError` with status 0 when there is no response. */
async function connect(path: string, init: RequestInit): Promise<Response> {
  return fetch(path, init).catch((error: unknown) => {
    if (init.signal?.aborted === true) throw error
    const hint = 'Check that it is running, then try again.'
    throw new ApiError(0, { error: 'The server is not responding', hint })
  })
}

async function readJson<Result>(response: Response): Promise<Result> {
  const result = (await response.json().catch((error: unknown) => {
    if (!(error instanceof SyntaxError)) throw error
    const hint = 'A proxy in front of the server may have responded instead, for example with a sign-in page.'
    throw new ApiError(response.status, { error: 'The response is not from the Bowline API', hint })
  })) as Result & Failure
  // Some error responses of the API have status 200.
  if (isRefusal(result)) throw new ApiError(response.status, result)
  return result
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
