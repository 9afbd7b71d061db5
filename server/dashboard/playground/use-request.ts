import { useRef, useState } from 'preact/hooks'
import type { RouteInput, RouteOutput } from 'bowline/contract/route-types'
import { toApiError, type ApiError } from '../api/api.ts'
import { useApi } from '../api/context.ts'

/** A route that the playground can call. */
export type PlaygroundRoute = 'scrape' | 'map' | 'search'

/** State of a request. */
export type RequestState<Result> =
  | { readonly status: 'idle' }
  | { readonly status: 'running' }
  | { readonly status: 'done'; readonly result: Result; readonly durationMs: number }
  | { readonly status: 'failed'; readonly apiError: ApiError }

/** Runs one request at a time. */
export interface RequestRunner<Input, Result> {
  readonly state: RequestState<Result>
  readonly run: (input: Input) => void
  readonly stop: () => void
}

/** Sends requests to a route. `stop` disconnects, which also cancels the work on the server. */
export function useRequest<Name extends PlaygroundRoute>(
  name: Name,
): RequestRunner<RouteInput<Name>, RouteOutput<Name>> {
  const api = useApi()
  const [state, setState] = useState<RequestState<RouteOutput<Name>>>({ status: 'idle' })
  const running = useRef<AbortController>(undefined)
  const run = async (input: RouteInput<Name>): Promise<void> => {
    running.current?.abort()
    const stopping = new AbortController()
    running.current = stopping
    setState({ status: 'running' })
    const startedMs = performance.now()
    try {
      const result = await api.call(name, input, stopping.signal)
      if (running.current === stopping) setState({ status: 'done', result, durationMs: performance.now() - startedMs })
    } catch (error) {
      if (running.current !== stopping) return
      setState(stopping.signal.aborted ? { status: 'idle' } : { status: 'failed', apiError: toApiError(error) })
    }
  }
  return { state, run: (input) => void run(input), stop: () => running.current?.abort() }
}
