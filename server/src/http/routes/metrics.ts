import type { FastifyInstance } from 'fastify'
import { serverPaths } from 'bowline/contract/server-paths'
import { BowlineError } from 'bowline/kit/errors'
import { equalSecrets } from 'bowline/kit/ids'
import type { Authenticator } from '../auth.ts'
import type { Metrics } from '../metrics.ts'

/** Dependencies of the metrics route. */
export interface MetricsRouteDeps {
  readonly authenticator: Pick<Authenticator, 'authenticate'>
  readonly metrics: Metrics
  /** Token that only grants access to the metrics. Default: none. */
  readonly metricsToken: string | undefined
}

/**
 * Registers the Prometheus metrics. They cover all teams, so they need an admin key or the metrics
 * token.
 */
export function registerMetrics(app: FastifyInstance, deps: MetricsRouteDeps): void {
  const { authenticator, metrics, metricsToken } = deps
  app.get(serverPaths.metrics, { schema: { hide: true } }, async (request, reply) => {
    const token = request.headers.authorization?.split(' ')[1]
    const isScrapeJob = token !== undefined && metricsToken !== undefined && equalSecrets(token, metricsToken)
    if (!isScrapeJob) {
      const { role } = await authenticator.authenticate(request.headers.authorization, request.ip)
      if (role !== 'admin') {
        throw new BowlineError('FORBIDDEN', 'Metrics cover all teams, so only an admin key may read them', {
          hint: 'Use an admin key, or the token that the server was started with as `--metrics-token`.',
        })
      }
    }
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })
}
