import type * as Api from '@opentelemetry/api'
import type { RootSpanOptions, Span, SpanAttributes, SpanOptions, Tracer } from '../kit/span.ts'
import { formatTraceparent, parseTraceparent } from './traceparent.ts'

/** The API of OpenTelemetry, which is loaded only for tracing, and a tracer of its SDK. */
export interface OtelDeps {
  readonly api: Pick<typeof Api, 'ROOT_CONTEXT' | 'trace' | 'SpanKind' | 'SpanStatusCode'>
  readonly tracer: Api.Tracer
}

/** Starts traces with OpenTelemetry. */
export class OtelTracer implements Tracer {
  readonly #deps: OtelDeps

  constructor(deps: OtelDeps) {
    this.#deps = deps
  }

  start(name: string, { parent, link, ...options }: RootSpanOptions = {}): Span {
    const { ROOT_CONTEXT, trace } = this.#deps.api
    const [parentContext, linked] = [parent, link].map((text) =>
      text === undefined ? undefined : parseTraceparent(text),
    )
    const context = parentContext === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parentContext)
    const links = linked === undefined ? [] : [{ context: linked }]
    return this.startIn(context, name, { ...options, links })
  }

  /** Starts a span below the one of a context. */
  startIn(
    context: Api.Context,
    name: string,
    { kind = 'internal', attributes, startMs, links }: SpanOptions & Pick<Api.SpanOptions, 'links'> = {},
  ): Span {
    const { api, tracer } = this.#deps
    const span = tracer.startSpan(
      name,
      {
        kind: api.SpanKind[spanKinds[kind]],
        ...(attributes === undefined ? {} : { attributes }),
        ...(startMs === undefined ? {} : { startTime: startMs }),
        ...(links === undefined ? {} : { links }),
      },
      context,
    )
    return new OtelSpan(this, this.#deps.api, span)
  }
}

const spanKinds = { internal: 'INTERNAL', server: 'SERVER', client: 'CLIENT', consumer: 'CONSUMER' } as const

class OtelSpan implements Span {
  readonly #tracer: OtelTracer
  readonly #api: OtelDeps['api']
  readonly #span: Api.Span
  #hasEnded = false

  constructor(tracer: OtelTracer, api: OtelDeps['api'], span: Api.Span) {
    this.#tracer = tracer
    this.#api = api
    this.#span = span
  }

  get traceId(): string {
    return this.#span.spanContext().traceId
  }

  get traceparent(): string {
    return formatTraceparent(this.#span.spanContext())
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  startChild(name: string, options?: SpanOptions): Span {
    const { ROOT_CONTEXT, trace } = this.#api
    return this.#tracer.startIn(trace.setSpan(ROOT_CONTEXT, this.#span), name, options)
  }

  startRoot(name: string, options?: RootSpanOptions): Span {
    return this.#tracer.start(name, options)
  }

  setAttributes(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes)
  }

  fail(code: string): void {
    this.#span.setAttribute('error.type', code)
    this.#span.setStatus({ code: this.#api.SpanStatusCode.ERROR })
  }

  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#span.end()
  }
}
