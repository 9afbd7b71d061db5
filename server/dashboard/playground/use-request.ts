import { useRef, useState } from 'preact/hooks'
import { toApiError, type ApiError } from '../api/api.ts'
import { useApi } from '../api/context.ts'

/** State of a request. */
export type RequestState<Result> =
  | { readonly status: 'idle' }
  | { readonly status: 'running' }
  | { readonly status: 'done'; readonly result: Result; readonly durationMs: number }
  | { readonly status: 'failed'; readonly apiError: ApiError }

/** Runs one request at a time. */
export interface RequestRunner<Result> {
  readonly state: RequestState<Result>
  readonly run: (body: unknown) => void
  readonly stop: () => void
}

/** Sends requests to an endpoint. `stop` disconnects, which also cancels the work on the server. */
export function useRequest<Result>(path: string): RequestRunner<Result> {
  const api = useApi()
  const [state, setState] = useState<RequestState<Result>>({ status: 'idle' })
  const running = useRef<AbortController>(undefined)
  const run = async (body: unknown): Promise<void> => {
    running.current?.abort()
    const stopping = new AbortController()
    running.current = stopping
    setState({ status: 'running' })
    const startedMs = performance.now()
    try {
      const result = await api.send<Result>('POST', path, body, stopping.signal)
      if (running.current === stopping) setState({ status: 'done', result, durationMs: performance.now() - startedMs })
    } catch (error) {
      if (running.current !== stopping) return
      setState(stopping.signal.aborted ? { status: 'idle' } : { status: 'failed', apiError: toApiError(error) })
    }
  }
  return { state, run: (body) => void run(body), stop: () => running.current?.abort() }
}
