import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { toFault, type Api, type Fault } from './call.ts'
import { reloadEvent } from '../frame/shortcuts.ts'
import { useApi } from './context.ts'

/** Data loaded from the server, and its loading state. */
export interface Loaded<Value> {
  /** The last value. Kept while it is reloaded and when reloading fails. */
  readonly value: Value | undefined
  readonly fault: Fault | undefined
  readonly isLoading: boolean
  /** Loads the value again. */
  readonly reload: () => void
}

interface State<Value> {
  readonly value: Value | undefined
  readonly fault: Fault | undefined
  readonly isLoading: boolean
  /** The key that the value was loaded for. */
  readonly key: string
}

/**
 * Loads data from the server, and reloads it every `everyMs` while the tab is visible (default:
 * never). A new `key` discards the value and starts over.
 */
export function useLoaded<Value>(
  key: string,
  load: (api: Api, signal: AbortSignal) => Promise<Value>,
  { everyMs }: { readonly everyMs?: number | undefined } = {},
): Loaded<Value> {
  const api = useApi()
  const empty: State<Value> = { value: undefined, fault: undefined, isLoading: true, key }
  const [state, setState] = useState(empty)
  const [reloads, setReloads] = useState(0)
  const loading = useRef(load)
  loading.current = load

  useEffect(() => {
    setState((last) => (last.key === key ? { ...last, isLoading: true } : empty))
    const run = async (signal: AbortSignal): Promise<number> => {
      try {
        const value = await loading.current(api, signal)
        if (!signal.aborted) setState({ value, fault: undefined, isLoading: false, key })
        return 0
      } catch (error) {
        const fault = toFault(error)
        if (!signal.aborted) setState((last) => ({ ...last, fault, isLoading: false }))
        return fault.retryAfterMs
      }
    }
    return repeat(run, everyMs)
  }, [api, key, reloads, everyMs])

  const reload = useCallback(() => setReloads((last) => last + 1), [])
  useEffect(() => {
    addEventListener(reloadEvent, reload)
    return () => removeEventListener(reloadEvent, reload)
  }, [reload])
  const isCurrent = state.key === key
  return { ...(isCurrent ? state : empty), reload }
}

/**
 * Runs a function now and `everyMs` after each run, or later if it returns a longer pause. Pauses
 * while the tab is hidden. Returns a function that stops it.
 */
function repeat(run: (signal: AbortSignal) => Promise<number>, everyMs: number | undefined): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let running = new AbortController()
  const schedule = (pauseMs: number): void => {
    if (everyMs === undefined) return
    const waitMs = Math.max(everyMs, pauseMs)
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
    if (document.visibilityState === 'visible' && everyMs !== undefined) start()
  }
  document.addEventListener('visibilitychange', onVisible)
  start()
  return () => {
    running.abort()
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', onVisible)
  }
}
