import type { FastifyInstance } from 'fastify'
import type { BrowserPool } from '../../browsers/pool.ts'
import type { Layer } from '../../browsers/layers.ts'
import type { BrowserBinary } from '../../browsers/find.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import type { Store } from '../../store/store.ts'
import { readDisk, reasonsNotReady, type WriteHealth } from '../readiness.ts'

/** What the health routes ask. */
export interface HealthParts {
  readonly store: Store
  readonly browsers: BrowserPool
  readonly sessions: Sessions
  readonly layers: readonly Layer[]
  readonly binary: BrowserBinary
  readonly dataDir: string
  /** What the heartbeats of this node, each of which writes to the store, have come to. */
  readonly writes: WriteHealth
}

/** Milliseconds that the store has to answer a readiness probe. */
const pingTimeoutMs = 2000

/** Registers the routes that need no key: liveness, readiness, and the names public clients probe. */
export const registerHealth = (app: FastifyInstance, parts: HealthParts): void => {
  const hidden = { schema: { hide: true } as object }
  let isWarm = false
  void parts.browsers.whenWarm.then(() => {
    isWarm = true
  })

  const readiness = async () => {
    const store = await parts.store.ping(AbortSignal.timeout(pingTimeoutMs)).then(
      () => 'open' as const,
      () => 'unreachable' as const,
    )
    // Where it cannot be read, nothing is said of it.
    const disk = await readDisk(parts.dataDir).catch(() => undefined)
    const { binary, sessions } = parts
    const { isDraining } = sessions
    const areWritesFailing = parts.writes.isFailing
    const reasons = reasonsNotReady({ isStoreOpen: store === 'open', areWritesFailing, disk, isWarm, isDraining })
    return {
      status: reasons.length === 0 ? 'ok' : 'unavailable',
      reasons,
      browser: { path: binary.path, kind: binary.kind, version: binary.version },
      store: { kind: parts.store.kind, state: store, isWritable: store === 'open' && !areWritesFailing },
      disk,
      pool: { ...parts.browsers.stats(), isWarm },
      sessions: { live: sessions.load, max: sessions.maxSessions, isDraining },
      layers: parts.layers,
    }
  }

  app.get('/e2e-test', hidden, async () => 'OK')
  for (const path of ['/livez', '/v0/health/liveness']) app.get(path, hidden, async () => ({ status: 'ok' }))
  for (const path of ['/readyz', '/v0/health/readiness']) {
    app.get(path, hidden, async (_request, reply) => {
      const checks = await readiness()
      return reply.code(checks.reasons.length === 0 ? 200 : 503).send(checks)
    })
  }
}
