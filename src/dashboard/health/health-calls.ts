import { Fault, type Api } from '../api/call.ts'
import { readMetrics, type Sample } from './metric-text.ts'

/** What `/readyz` answers. */
export interface Readiness {
  readonly status: 'ok' | 'unavailable'
  readonly browser: { readonly path: string; readonly kind: string; readonly version: string }
  readonly store: { readonly kind: string; readonly state: string }
  readonly pool: { readonly warm: number; readonly starting: number; readonly live: number; readonly isWarm: boolean }
  readonly sessions: { readonly live: number; readonly max: number; readonly isDraining: boolean }
  readonly layers: readonly { readonly name: string; readonly state: string; readonly detail: string }[]
}

/** How the server is, and its numbers. */
export interface Health {
  readonly readiness: Readiness
  readonly samples: readonly Sample[]
}

/** Asks the server how it is. */
export const readHealth = async (api: Api, signal: AbortSignal): Promise<Health> => {
  const [readiness, metrics] = await Promise.all([readReadiness(signal), api.read('/metrics', signal)])
  return { readiness, samples: readMetrics(await metrics.text()) }
}

/** A server that is not ready says so with an error status, and all the same says why. */
const readReadiness = async (signal: AbortSignal): Promise<Readiness> => {
  const response = await fetch('/readyz', { signal }).catch(() => undefined)
  if (response === undefined) throw new Fault(0, { error: 'The server does not answer' })
  return (await response.json()) as Readiness
}
