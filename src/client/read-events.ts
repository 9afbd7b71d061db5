import { BowlineError } from '../kit/errors.ts'

/** Position of a request that waits for a session. */
export interface QueueProgress {
  /** 1: the next free slot goes to this request. */
  readonly position: number
  /** Seconds until it has a slot. `null` if the server cannot estimate them. */
  readonly estimatedSeconds: number | null
}

/**
 * Reads a stream of server-sent events, and returns its last event as the JSON response that it
 * stands for. Calls `onQueued` with the events before it. Rejects with CONNECTION_FAILED if the
 * stream ends early.
 */
export async function readEvents(
  response: Response,
  onQueued: ((progress: QueueProgress) => void) | undefined,
): Promise<Response> {
  for await (const { event, data, retryMs } of eventsOf(response)) {
    const body = JSON.parse(data) as { readonly status?: number }
    if (event === 'queued') onQueued?.(body as unknown as QueueProgress)
    else {
      const headers = new Headers(response.headers)
      if (retryMs !== undefined) headers.set('retry-after', String(Math.ceil(retryMs / 1000)))
      return new Response(data, { status: event === 'error' ? (body.status ?? 500) : 200, headers })
    }
  }
  throw new BowlineError('CONNECTION_FAILED', 'The server closed the connection before the session was created')
}

interface ServerEvent {
  readonly event: string
  readonly data: string
  readonly retryMs: number | undefined
}

async function* eventsOf(response: Response): AsyncGenerator<ServerEvent, void> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
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
