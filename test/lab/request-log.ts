import type { IncomingHttpHeaders } from 'node:http'

/** A request that the site received. */
export interface SeenRequest {
  readonly method: string
  /** Path with its query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

/** The requests a site has received, oldest first. */
export interface RequestLog {
  readonly all: readonly SeenRequest[]
  /** Waits for a past or future request whose path without its query is `pathname`. */
  waitFor(pathname: string, signal?: AbortSignal): Promise<SeenRequest>
  add(request: SeenRequest): void
}

function pathnameOf(request: SeenRequest): string {
  return request.path.split('?')[0] ?? ''
}

/** Creates an empty log. */
export function createRequestLog(): RequestLog {
  const all: SeenRequest[] = []
  const events = new EventTarget()
  return {
    all,
    add: (request) => {
      all.push(request)
      events.dispatchEvent(new Event('request'))
    },
    waitFor: async (pathname, signal) => {
      for (;;) {
        const found = all.find((request) => pathnameOf(request) === pathname)
        if (found !== undefined) return found
        await nextEvent(events, signal)
      }
    },
  }
}

async function nextEvent(events: EventTarget, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  const next = Promise.withResolvers<void>()
  const done = new AbortController()
  events.addEventListener('request', () => next.resolve(), { signal: done.signal })
  signal?.addEventListener('abort', () => next.reject(signal.reason), { signal: done.signal })
  try {
    await next.promise
  } finally {
    done.abort()
  }
}
