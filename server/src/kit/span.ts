/** Attributes of a span. They contain no secrets, contents of pages, URLs or query strings. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** Options of a new span. */
export interface SpanOptions {
  /** Default: `internal`. */
  readonly kind?: 'internal' | 'server' | 'client' | 'consumer' | undefined
  readonly attributes?: SpanAttributes | undefined
  /** Start in milliseconds since 1970. Default: now. */
  readonly startMs?: number | undefined
}

/** Options of a span that is not the child of a span of this server. */
export interface RootSpanOptions extends SpanOptions {
  /** `traceparent` of another program whose trace it continues. Default: a new trace. */
  readonly parent?: string | undefined
  /** `traceparent` of the work that caused it, in another trace. Default: none. */
  readonly link?: string | undefined
}

/** A step of a trace. Names have few values: routes and steps, without ids. */
export interface Span {
  readonly traceId: string
  /** Its id in the format of the `traceparent` header of W3C Trace Context. */
  readonly traceparent: string
  readonly hasEnded: boolean
  readonly startChild: (name: string, options?: SpanOptions) => Span
  /** Starts a span of another trace. */
  readonly startRoot: (name: string, options?: RootSpanOptions) => Span
  readonly setAttributes: (attributes: SpanAttributes) => void
  /** Marks it as failed. `code` is an error code, never a message: messages contain URLs. */
  readonly fail: (code: string) => void
  readonly end: () => void
}

/** Starts traces. */
export interface Tracer {
  readonly start: (name: string, options?: RootSpanOptions) => Span
}
