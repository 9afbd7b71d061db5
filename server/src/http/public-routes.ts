/** A route that clients of the public service call, and that this server does not have. */
interface MissingRoute {
  readonly pattern: RegExp
  /** Completes "This server does not …". */
  readonly does: string
  readonly instead: string
}

const missingRoutes: readonly MissingRoute[] = [
  {
    pattern: /^\/v2\/(?:browser|interact)\/[^/]+\/replay(?:\/[^/]+)?$/,
    does: 'replay sessions page by page',
    instead: 'Create the session with `record`, and read GET /v2/browser/{id}/recordings after its end.',
  },
  {
    pattern: /^\/v2\/agent(?:\/threads\/[^/]+)?$/,
    does: 'list agents or threads',
    instead: 'Read an agent by its id with GET /v2/agent/{id}.',
  },
]

/** Finds a route of the public service by the path of a request. */
export function findMissingRoute(path: string): MissingRoute | undefined {
  return missingRoutes.find(({ pattern }) => pattern.test(path))
}
