import { AsyncLocalStorage } from 'node:async_hooks'
import { isBowlineError } from 'bowline/kit/errors'
import type { RootSpanOptions, Span, SpanAttributes, SpanOptions } from './span.ts'

/** The request or task that asynchronous code works on, for log lines and traces. */
export interface Work {
  /** Id of the request that caused it. `undefined`: the server itself did. */
  readonly requestId: string | undefined
  /** `undefined` without tracing. */
  readonly span: Span | undefined
  /** `traceparent` of the request that queued this task. `undefined` in the request itself. */
  readonly queuedBy?: string | undefined
}

/** The request that caused a task, stored with it. */
export interface TaskOrigin {
  readonly requestId?: string | undefined
  readonly traceparent?: string | undefined
}

// Ambient, because log lines and database queries in every part belong to the request that caused
// them, and would otherwise need it as an argument of each function in between.
const storage = new AsyncLocalStorage<Work>()

/** Runs a function, and everything asynchronous that it starts, as part of some work. */
export function runAs<Result>(work: Work, run: () => Result): Result {
  return storage.run(work, run)
}

/** Runs a function that works for several requests, such as a timer that one of them starts. */
export function runForAll<Result>(run: () => Result): Result {
  return storage.run({ requestId: undefined, span: undefined }, run)
}

/** Returns the work that the calling code is part of. */
export function currentWork(): Work | undefined {
  return storage.getStore()
}

/** Returns the span of the current work. `undefined` without tracing, and after the span ended. */
export function currentSpan(): Span | undefined {
  const span = storage.getStore()?.span
  return span?.hasEnded === true ? undefined : span
}

/** Binds a callback to the current work, so that it may be called by other work. */
export function bindToWork<Arguments extends readonly unknown[], Result>(
  callback: (...args: Arguments) => Result,
): (...args: Arguments) => Result {
  const snapshot = AsyncLocalStorage.snapshot()
  return (...args) => snapshot(callback, ...args)
}

/** Returns what a task of the current work stores, if anything. */
export function taskOrigin(): TaskOrigin | undefined {
  const work = storage.getStore()
  const traceparent = work?.queuedBy ?? work?.span?.traceparent
  if (work?.requestId === undefined && traceparent === undefined) return undefined
  return {
    ...(work?.requestId === undefined ? {} : { requestId: work.requestId }),
    ...(traceparent === undefined ? {} : { traceparent }),
  }
}

/**
 * Runs a step in a child of the current span, which ends with it and is marked as failed if it
 * throws. Without tracing, it only runs the step.
 */
export async function inSpan<Result>(name: string, run: () => Promise<Result>, options?: SpanOptions): Promise<Result> {
  const parent = currentSpan()
  return parent === undefined ? run() : runInSpan(parent.startChild(name, options), run)
}

/**
 * Runs a step in a trace of its own, which links to the request that caused it. Without tracing, it
 * only runs the step.
 */
export async function inOwnTrace<Result>(
  name: string,
  run: () => Promise<Result>,
  options?: Omit<RootSpanOptions, 'link'>,
): Promise<Result> {
  const parent = currentSpan()
  if (parent === undefined) return run()
  const { queuedBy: link, requestId } = storage.getStore() ?? {}
  const attributes = { ...options?.attributes, ...requestAttributes(requestId) }
  return runInSpan(parent.startRoot(name, { ...options, link, attributes }), run)
}

/** Returns the attributes of a span that a request caused. */
export function requestAttributes(requestId: string | undefined): SpanAttributes {
  return requestId === undefined ? {} : { 'bowline.request.id': requestId }
}

/** Runs a step in a span, and ends the span. */
export async function runInSpan<Result>(span: Span, run: () => Promise<Result>): Promise<Result> {
  const { requestId, queuedBy } = storage.getStore() ?? { requestId: undefined }
  try {
    return await storage.run({ requestId, queuedBy, span }, run)
  } catch (error) {
    span.fail(errorTypeOf(error))
    throw error
  } finally {
    span.end()
  }
}

/** Returns the code of an error, or how an operation of Node.js was interrupted. */
function errorTypeOf(error: unknown): string {
  if (isBowlineError(error)) return error.code
  return error instanceof DOMException ? error.name : 'UNKNOWN_ERROR'
}
