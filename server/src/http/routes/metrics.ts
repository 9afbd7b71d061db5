import type { FastifyInstance } from 'fastify'
import { registerServerRoute } from '../register-route.ts'
import { registerStateMetrics, type StateMetricsDeps } from '../state-metrics.ts'

/** Registers the Prometheus metrics. They cover all teams. */
export function registerMetrics(app: FastifyInstance, deps: StateMetricsDeps): void {
  const { registry } = deps
  registerStateMetrics(deps)
  registerServerRoute(app, 'metrics', {
    handler: async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()),
  })
}
