import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../../metrics/metrics.ts'
import { Measurements, type MeasurementDeps } from '../measurements.ts'
import { registerServerRoute } from '../register-route.ts'
import { readState, type StateMetricsDeps } from '../state-metrics.ts'

/** Dependencies of the metrics that are not recorded by the work itself. */
export interface MetricsRouteDeps extends StateMetricsDeps, Omit<MeasurementDeps, 'metrics'> {
  readonly metrics: Metrics
}

/** Registers the Prometheus metrics. They cover all teams. */
export function registerMetrics(app: FastifyInstance, deps: MetricsRouteDeps): void {
  const { metrics } = deps
  readState(metrics, deps)
  const measurements = new Measurements(deps)
  registerServerRoute(app, 'metrics', {
    handler: async (_request, reply) => {
      measurements.refresh()
      return reply.type(metrics.contentType).send(await metrics.text())
    },
  })
}
