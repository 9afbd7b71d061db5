import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { toFault, type Api, type Fault } from './call.ts'
import { reloadEvent } from '../frame/shortcuts.ts'
import { useApi } from './context.ts'

/** What was asked of the server, as far as it is known. */
export interface Loaded<Value> {
  /** The last answer; it stays while the next one is awaited, and when that fails. */
  readonly value: Value | undefined
  readonly fault: Fault | undefined
  readonly isLoading: boolean
  /** Asks again. */
  readonly reload: () => void
}

interface State<Value> {
  readonly value: Value | undefined
  readonly fault: Fault | undefined
  readonly isLoading: boolean
  /** What the value belongs to. */
  readonly key: string
}

/**
 * Asks the server, and asks again every `everyMs` while the tab can be seen (default: never). A new `key` forgets the value
 * and starts afresh.
 */
export function useLoaded<Value>(
  key: string,
  load: (api: Api, signal: AbortSignal) => Promise<Value>,
  { everyMs }: { readonly everyMs?: number | undefined } = {},
): Loaded<Value> {
  const api = useApi()
  const empty: State<Value> = { value: undefined, fault: undefined, isLoading: true, key }
  const [state, setState] = useState(empty)
  const [turn, setTurn] = useState(0)
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
  }, [api, key, turn, everyMs])

  const reload = useCallback(() => setTurn((last) => last + 1), [])
  useEffect(() => {
    addEventListener(reloadEvent, reload)
    return () => removeEventListener(reloadEvent, reload)
  }, [reload])
  const isCurrent = state.key === key
  return { ...(isCurrent ? state : empty), reload }
}

/**
 * Runs at once, and then again and again, each time so long after the last has ended, or longer when it says so; not while
 * nobody can see it.
 */
function repeat(run: (signal: AbortSignal) => Promise<number>, everyMs: number | undefined): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let running = new AbortController()
  const again = (pauseMs: number): void => {
    if (everyMs === undefined) return
    const waitMs = Math.max(everyMs, pauseMs)
    timer = setTimeout(() => (document.visibilityState === 'visible' ? start() : undefined), waitMs)
  }
  const start = (): void => {
    clearTimeout(timer)
    // One at a time: whoever leaves and returns must not have it run twice beside itself, nor see the older answer last.
    running.abort()
    const { signal } = (running = new AbortController())
    void run(signal).then((pauseMs) => signal.aborted || again(pauseMs))
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
