import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { toApiError, type Api, type ApiError } from '../api/api.ts'
import { reloadEvent } from './shortcuts.ts'
import { useApi } from '../api/context.ts'

/** Data loaded from the server, and its loading state. */
export interface Loaded<Value> {
  /** The last value. Kept while it is reloaded and when reloading fails. */
  readonly value: Value | undefined
  readonly apiError: ApiError | undefined
  readonly isLoading: boolean
  /** Loads the value again. */
  readonly reload: () => void
}

interface State<Value> {
  readonly value: Value | undefined
  readonly apiError: ApiError | undefined
  readonly isLoading: boolean
  /** The name that the value was loaded for. */
  readonly name: string
}

/** Options of `useLoaded`. */
interface LoadOptions<Value> {
  /** Default: never. */
  readonly pollMs?: number | undefined
  /** Whether a value no longer changes, and is not loaded again. Default: no value. */
  readonly isFinal?: (value: Value) => boolean
}

/**
 * Loads data from the server, and reloads it every `pollMs` while the tab is visible (default:
 * never). A new `name` discards the value and starts over.
 */
export function useLoaded<Value>(
  name: string,
  load: (api: Api, signal: AbortSignal) => Promise<Value>,
  { pollMs, isFinal = () => false }: LoadOptions<Value> = {},
): Loaded<Value> {
  const api = useApi()
  const empty: State<Value> = { value: undefined, apiError: undefined, isLoading: true, name }
  const [state, setState] = useState(empty)
  const [reloads, setReloads] = useState(0)
  const latestLoad = useRef(load)
  latestLoad.current = load
  const latestIsFinal = useRef(isFinal)
  latestIsFinal.current = isFinal

  useEffect(() => {
    setState((last) => (last.name === name ? { ...last, isLoading: true } : empty))
    const run = async (signal: AbortSignal): Promise<number> => {
      try {
        const value = await latestLoad.current(api, signal)
        if (!signal.aborted) setState({ value, apiError: undefined, isLoading: false, name })
        return latestIsFinal.current(value) ? Infinity : 0
      } catch (error) {
        const apiError = toApiError(error)
        if (!signal.aborted) setState((last) => ({ ...last, apiError, isLoading: false }))
        return apiError.retryAfterMs
      }
    }
    return repeat(run, pollMs)
  }, [api, name, reloads, pollMs])

  const reload = useCallback(() => setReloads((last) => last + 1), [])
  useEffect(() => {
    addEventListener(reloadEvent, reload)
    return () => removeEventListener(reloadEvent, reload)
  }, [reload])
  const isCurrent = state.name === name
  return { ...(isCurrent ? state : empty), reload }
}

/**
 * Runs a function now and `pollMs` after each run, or later if it returns a longer pause, or never
 * again if that is `Infinity`. Pauses while the tab is hidden. Returns a function that stops it.
 */
function repeat(run: (signal: AbortSignal) => Promise<number>, pollMs: number | undefined): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let running = new AbortController()
  let isLast = pollMs === undefined
  const schedule = (pauseMs: number): void => {
    if (pauseMs === Infinity) isLast = true
    if (pollMs === undefined || isLast) return
    const waitMs = Math.max(pollMs, pauseMs)
    timer = setTimeout(() => (document.visibilityState === 'visible' ? start() : undefined), waitMs)
  }
  const start = (): void => {
    clearTimeout(timer)
    // Only one run at a time, so that an older response cannot overwrite a newer one.
    running.abort()
    const { signal } = (running = new AbortController())
    void run(signal).then((pauseMs) => signal.aborted || schedule(pauseMs))
  }
  const onVisible = (): void => {
    if (document.visibilityState === 'visible' && !isLast) start()
  }
  document.addEventListener('visibilitychange', onVisible)
  start()
  return () => {
    running.abort()
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', onVisible)
  }
}
