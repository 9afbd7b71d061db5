import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../metrics.ts'
import { registerServerRoute } from '../register-route.ts'

/** Registers the Prometheus metrics. They cover all teams. */
export function registerMetrics(app: FastifyInstance, { registry }: Pick<Metrics, 'registry'>): void {
  registerServerRoute(app, 'metrics', {
    handler: async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()),
  })
}
