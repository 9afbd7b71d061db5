import type { SpanContext } from '@opentelemetry/api'

/**
 * Parses a `traceparent` header of W3C Trace Context. Returns `undefined` if it is malformed, which
 * starts a new trace.
 */
export function parseTraceparent(header: string): SpanContext | undefined {
  const { version, traceId, spanId, flags, rest } = pattern.exec(header)?.groups ?? {}
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  // Later versions may append fields. Version ff is invalid.
  if (version === 'ff' || (version === '00' && rest !== '')) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
}

/** Formats a `traceparent` header. */
export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 1) === 1 ? '01' : '00'}`
}

const pattern =
  /^(?<version>[0-9a-f]{2})-(?<traceId>[0-9a-f]{32})-(?<spanId>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?<rest>|-.*)$/
