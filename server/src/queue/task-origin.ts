import { requestAttributes, runAs, runInSpan, taskOrigin, type TaskOrigin } from '../kit/current-work.ts'
import type { Tracer } from '../kit/span.ts'

/** Key of the origin in the stored data of a task. */
const key = '$origin'

/** Adds the request that queues a task to its data. */
export function withOrigin<Data extends object>(data: Data): Data {
  const origin = taskOrigin()
  return origin === undefined ? data : { ...data, [key]: origin }
}

/** Splits the stored data of a task into that of its handler and its origin. */
export function splitOrigin<Data extends object>(stored: Data): { readonly data: Data; readonly origin: TaskOrigin } {
  const { [key]: origin = {}, ...data } = stored as { readonly [key]?: TaskOrigin }
  return { data: data as Data, origin }
}

/** Runs a task as part of the request that queued it, in a trace that links to it. */
export async function runTask(
  tracer: Tracer | undefined,
  { name, origin: { requestId, traceparent } }: { readonly name: string; readonly origin: TaskOrigin },
  run: () => Promise<void>,
): Promise<void> {
  const attributes = requestAttributes(requestId)
  const span = tracer?.start(name, { kind: 'consumer', link: traceparent, attributes })
  return runAs({ requestId, span, queuedBy: traceparent }, async () =>
    span === undefined ? run() : runInSpan(span, run),
  )
}
