import { queueProgress, type QueueProgress } from '../contract/queue-progress.ts'
import { BowlineError } from '../kit/errors.ts'

/** Options of `readEvents`. */
export interface ReadEventsOptions {
  readonly onQueued: ((progress: QueueProgress) => void) | undefined
  /** Aborting closes the connection. */
  readonly signal: AbortSignal
}

/**
 * Reads a stream of server-sent events, and returns its last event as the JSON response that it
 * stands for. Calls `onQueued` with the events before it. Rejects with CONNECTION_FAILED if the
 * stream ends early, or with the reason of the signal.
 */
export async function readEvents(response: Response, { onQueued, signal }: ReadEventsOptions): Promise<Response> {
  for await (const { event, data, retryMs } of eventsOf(response, signal)) {
    const body: unknown = JSON.parse(data)
    if (event === 'queued') {
      const { data: progress } = queueProgress.safeParse(body)
      if (progress !== undefined) onQueued?.(progress)
    } else {
      const { status = 500 } = body as { readonly status?: number }
      const headers = new Headers(response.headers)
      if (retryMs !== undefined) headers.set('retry-after', String(Math.ceil(retryMs / 1000)))
      return new Response(data, { status: event === 'error' ? status : 200, headers })
    }
  }
  throw new BowlineError('CONNECTION_FAILED', 'The server closed the connection before the session was created')
}

interface ServerEvent {
  readonly event: string
  readonly data: string
  readonly retryMs: number | undefined
}

async function* eventsOf(response: Response, signal: AbortSignal): AsyncGenerator<ServerEvent, void> {
  let text = ''
  for await (const part of textsOf(response, signal)) {
    text += part
    const blocks = text.split(/\r?\n\r?\n/)
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(block.split(/\r?\n/).map((line) => [line.split(':', 1)[0], line.replace(/^\w*: ?/, '')]))
      const data = fields.get('data')
      // Comments keep the connection open.
      if (data === undefined) continue
      const retryMs = fields.get('retry')
      yield { event: fields.get('event') ?? '', data, retryMs: retryMs === undefined ? undefined : Number(retryMs) }
    }
  }
}

/** Reads a body until its end, or until the signal aborts. Then it is closed. */
async function* textsOf({ body }: Response, signal: AbortSignal): AsyncGenerator<string, void> {
  if (body === null) return
  const decoder = new TextDecoder()
  const reader = body.getReader()
  const cancel = (): void => void reader.cancel(signal.reason).catch(() => undefined)
  signal.addEventListener('abort', cancel, { once: true })
  try {
    for (;;) {
      signal.throwIfAborted()
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) return
      yield decoder.decode(value, { stream: true })
    }
  } finally {
    signal.removeEventListener('abort', cancel)
    // The events are complete, or no longer wanted.
    cancel()
  }
}
