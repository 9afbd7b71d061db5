import { useRef, useState } from 'preact/hooks'
import { toFault, type Fault } from '../api/call.ts'
import { useApi } from '../api/context.ts'

/** A call that is being tried. */
export type Trial<Answer> =
  | { readonly state: 'idle' }
  | { readonly state: 'running' }
  | { readonly state: 'done'; readonly answer: Answer; readonly durationMs: number }
  | { readonly state: 'failed'; readonly fault: Fault }

/** Tries one call at a time. */
export interface Try<Answer> {
  readonly trial: Trial<Answer>
  readonly run: (body: unknown) => void
  readonly stop: () => void
}

/** Tries calls of one endpoint. Stopping hangs up, which ends the work on the server as well. */
export function useTry<Answer>(path: string): Try<Answer> {
  const api = useApi()
  const [trial, setTrial] = useState<Trial<Answer>>({ state: 'idle' })
  const running = useRef<AbortController>(undefined)
  const run = async (body: unknown): Promise<void> => {
    running.current?.abort()
    const stopping = new AbortController()
    running.current = stopping
    setTrial({ state: 'running' })
    const startedMs = performance.now()
    try {
      const answer = await api.send<Answer>('POST', path, body, stopping.signal)
      if (running.current === stopping) setTrial({ state: 'done', answer, durationMs: performance.now() - startedMs })
    } catch (error) {
      if (running.current !== stopping) return
      setTrial(stopping.signal.aborted ? { state: 'idle' } : { state: 'failed', fault: toFault(error) })
    }
  }
  return { trial, run: (body) => void run(body), stop: () => running.current?.abort() }
}
