import type { FastifyInstance } from 'fastify'
import type { BrowserPool } from '../../browsers/pool.ts'
import type { Layer } from '../../browsers/layers.ts'
import type { BrowserBinary } from '../../browsers/find.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import type { Store } from '../../store/store.ts'

/** What the health routes ask. */
export interface HealthParts {
  readonly store: Store
  readonly browsers: BrowserPool
  readonly sessions: Sessions
  readonly layers: readonly Layer[]
  readonly binary: BrowserBinary
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
    const { binary } = parts
    const checks = {
      browser: { path: binary.path, kind: binary.kind, version: binary.version },
      store: { kind: parts.store.kind, state: store },
      pool: { ...parts.browsers.stats(), isWarm },
      sessions: { live: parts.sessions.load, max: parts.sessions.maxSessions, isDraining: parts.sessions.isDraining },
      layers: parts.layers,
    }
    return { ready: store === 'open' && isWarm && !parts.sessions.isDraining, checks }
  }

  app.get('/e2e-test', hidden, async () => 'OK')
  for (const path of ['/livez', '/v0/health/liveness']) app.get(path, hidden, async () => ({ status: 'ok' }))
  for (const path of ['/readyz', '/v0/health/readiness']) {
    app.get(path, hidden, async (_request, reply) => {
      const { ready, checks } = await readiness()
      return reply.code(ready ? 200 : 503).send({ status: ready ? 'ok' : 'unavailable', ...checks })
    })
  }
}
