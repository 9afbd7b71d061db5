import { z } from 'zod'
import { httpUrl, type Setting } from './setting.ts'

/** Settings of traces. */
export const tracingSettings = {
  otlpEndpoint: {
    flag: 'otlp-endpoint',
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    help: 'base URL of an OpenTelemetry collector that receives traces over OTLP/HTTP, such as http://collector.example:4318; default: no traces',
    accepts: 'an http: or https: URL',
    schema: httpUrl.optional(),
  },
  traceRatio: {
    flag: 'trace-ratio',
    env: 'OTEL_TRACES_SAMPLER_ARG',
    help: 'share of the traces that start at this server to send; traces of clients are sent if they are sampled',
    accepts: 'a number from 0 to 1',
    schema: z
      .union([
        z.number(),
        z
          .string()
          .trim()
          .regex(/^\d*\.?\d+$/)
          .transform(Number),
      ])
      .pipe(z.number().min(0).max(1))
      .default(1),
  },
} as const satisfies Record<string, Setting>
