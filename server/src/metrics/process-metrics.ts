import { collectDefaultMetrics, Registry } from 'prom-client'

/** Default metrics of `prom-client` that are gauges with the name of a counter. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

let registry: Registry | undefined

/**
 * Returns the registry of the default metrics: processor time, memory, garbage collection, event
 * loop. All servers of the process share it, as it describes the process, and as `prom-client`
 * never stops the timer and the observer that it starts for a registry.
 */
export function processMetrics(): Registry {
  registry ??= createRegistry()
  return registry
}

function createRegistry(): Registry {
  const created = new Registry()
  collectDefaultMetrics({ register: created })
  for (const name of misnamed) created.removeSingleMetric(name)
  return created
}
