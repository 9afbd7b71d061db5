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
  /** Undefined: only admin keys may read the numbers of all teams. */
  readonly samples: readonly Sample[] | undefined
}

/** Asks the server how it is. */
export async function readHealth(api: Api, signal: AbortSignal): Promise<Health> {
  const [readiness, metrics] = await Promise.all([readReadiness(api, signal), readSamples(api, signal)])
  return { readiness, samples: metrics }
}

/** A server that is not ready says so with an error status, and all the same says why. */
async function readReadiness(api: Api, signal: AbortSignal): Promise<Readiness> {
  const response = await api.ask('/readyz', signal).catch(() => undefined)
  if (response === undefined) throw new Fault(0, { error: 'The server does not answer' })
  const readiness = (await response.json()) as Partial<Readiness>
  // It tells no more to those whose key it cannot check.
  if (readiness.browser === undefined)
    throw new Fault(response.status, { error: 'The server cannot check the key now' })
  return readiness as Readiness
}

async function readSamples(api: Api, signal: AbortSignal): Promise<readonly Sample[] | undefined> {
  try {
    return readMetrics(await (await api.read('/metrics', signal)).text())
  } catch (error) {
    if (error instanceof Fault && error.status === 403) return undefined
    throw error
  }
}
