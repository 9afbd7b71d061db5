import { serverRoutes } from 'bowline/contract/server-routes'
import { ApiError, type Api } from '../api/api.ts'
import { readMetrics, type Sample } from './metric-text.ts'

/** The response of `/readyz`. */
export interface Readiness {
  readonly status: 'ok' | 'unavailable'
  readonly browser: { readonly path: string; readonly kind: string; readonly version: string }
  readonly store: { readonly kind: string; readonly state: string }
  readonly pool: { readonly warm: number; readonly starting: number; readonly live: number; readonly isWarm: boolean }
  readonly sessions: { readonly live: number; readonly max: number; readonly isDraining: boolean }
  readonly layers: readonly { readonly name: string; readonly state: string; readonly detail: string }[]
}

/** Readiness and metrics of the server. */
export interface Health {
  readonly readiness: Readiness
  /** Metrics. `undefined` without an admin key. */
  readonly samples: readonly Sample[] | undefined
}

/** Reads the readiness and metrics of the server. */
export async function readHealth(api: Api, signal: AbortSignal): Promise<Health> {
  const [readiness, metrics] = await Promise.all([readReadiness(api, signal), readSamples(api, signal)])
  return { readiness, samples: metrics }
}

/**
 * Reads `/readyz`. A server that is not ready responds with an error status and the same fields.
 */
async function readReadiness(api: Api, signal: AbortSignal): Promise<Readiness> {
  const response = await api.fetchAnyStatus(serverRoutes.readiness.path, signal)
  const readiness = (await response.json()) as Partial<Readiness>
  // Without a verified key the response has only the status.
  if (readiness.browser === undefined)
    throw new ApiError(response.status, { error: 'The server cannot verify the API key right now' })
  return readiness as Readiness
}

async function readSamples(api: Api, signal: AbortSignal): Promise<readonly Sample[] | undefined> {
  try {
    return readMetrics(await (await api.fetchResponse(serverRoutes.metrics.path, signal)).text())
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined
    throw error
  }
}
