import { setTimeout as sleep } from 'node:timers/promises'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import type { Tracer } from '../kit/span.ts'
import { OtelTracer } from './otel-tracer.ts'

/** Settings of traces. */
export interface TracingSettings {
  /** Base URL of a collector. `undefined`: there are no traces. */
  readonly otlpEndpoint: string | undefined
  /** Share of new traces that are sent. */
  readonly traceRatio: number
  readonly version: string
}

/** Dependencies of `openTracing`. */
export interface TracingDeps {
  readonly nodeId: string
  readonly log: Pick<Logger, 'warn'>
}

/** Packages that traces need. */
export const tracingPackages: readonly string[] = [
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
]

/** Time to send the last spans when the server stops, in milliseconds. */
const closeMs = 3000

/** Milliseconds between two warnings about a collector that does not accept traces. */
const warnEveryMs = 60_000

/**
 * Starts sending traces to the collector of the settings. Returns `undefined` if there is none,
 * without loading OpenTelemetry. `resources` sends the last spans.
 */
export async function openTracing(
  resources: AsyncDisposableStack,
  { otlpEndpoint, traceRatio, version }: TracingSettings,
  { nodeId, log }: TracingDeps,
): Promise<Tracer | undefined> {
  if (otlpEndpoint === undefined) return undefined
  const [api, sdk, { OTLPTraceExporter }, { defaultResource, detectResources, envDetector, resourceFromAttributes }] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-proto'),
      import('@opentelemetry/resources'),
    ])
  const exporter = withWarnings(new OTLPTraceExporter({ url: new URL('v1/traces', `${otlpEndpoint}/`).href }), log)
  const own = { 'service.name': 'bowline', 'service.version': version, 'service.instance.id': nodeId }
  const provider = new sdk.TracerProvider({
    // `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` take precedence.
    resource: defaultResource()
      .merge(resourceFromAttributes(own))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(traceRatio) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  })
  resources.defer(async () => {
    // A collector that does not respond must not delay the end of the server. Its failure was
    // logged.
    const closed = provider.shutdown().catch(() => undefined)
    await Promise.race([closed, sleep(closeMs, undefined, { ref: false })])
  })
  return new OtelTracer({ api, tracer: provider.getTracer('bowline-server', version) })
}

/** Logs failures of an exporter, at most one a minute. */
function withWarnings(exporter: SpanExporter, log: TracingDeps['log']): SpanExporter {
  let warnedMs = -Infinity
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined && performance.now() - warnedMs >= warnEveryMs) {
          warnedMs = performance.now()
          log.warn({ err: result.error, spans: spans.length }, 'traces could not be sent to the collector')
        }
        done(result)
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: async () => exporter.shutdown(),
  }
}
