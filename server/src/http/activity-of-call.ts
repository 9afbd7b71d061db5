import type { ActivityEndpoint } from 'bowline/contract/activity'
import { isBowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import type { NewActivity } from '../usage/activity-log.ts'

/** Fields of the activity that a route records. */
interface ActivityRoute {
  readonly endpoint: ActivityEndpoint
  /** Returns the URL or query to show for the call, or `null`. */
  readonly targetOf: (body: CallBody) => string | null
}

interface CallBody {
  readonly url?: unknown
  readonly urls?: unknown
  readonly query?: unknown
  readonly zeroDataRetention?: unknown
}

interface CallAnswer {
  readonly success?: unknown
  readonly id?: unknown
  readonly data?: { readonly metadata?: { readonly scrapeId?: unknown } }
}
const session: ActivityRoute = { endpoint: 'browser', targetOf: () => 'Browser session' }

/** POST routes that start a job, by path without `/v1` or `/v2`. */
const activityRoutes: Readonly<Record<string, ActivityRoute>> = {
  scrape: { endpoint: 'scrape', targetOf: urlOf },
  'batch/scrape': { endpoint: 'batch_scrape', targetOf: firstUrlOf },
  crawl: { endpoint: 'crawl', targetOf: urlOf },
  map: { endpoint: 'map', targetOf: urlOf },
  search: { endpoint: 'search', targetOf: ({ query }) => (typeof query === 'string' ? query : null) },
  extract: { endpoint: 'extract', targetOf: firstUrlOf },
  browser: session,
  interact: session,
}

/**
 * Returns the activity of a finished call, or `undefined` if it started no job or must not be
 * recorded.
 */
export type DescribeActivity = (
  call: { readonly teamId: string; readonly body: unknown; readonly answer?: unknown; readonly error?: unknown },
  createdAt: Date,
) => NewActivity | undefined

/**
 * Returns the function that describes calls of a route for the activity log, or `undefined` if the
 * route starts no job.
 */
export function activityDescriber(method: string, path: string): DescribeActivity | undefined {
  const [, version = '', name = ''] = /^\/(v[12])\/(.+)$/.exec(path) ?? []
  const route = method === 'POST' && Object.hasOwn(activityRoutes, name) ? activityRoutes[name] : undefined
  if (route === undefined) return undefined
  return ({ teamId, body, answer, error }, createdAt) => {
    if (error !== undefined && !hasStarted(error)) return undefined
    const fields = (body ?? {}) as CallBody
    const { success, id, data } = (answer ?? {}) as CallAnswer
    const keepsNothing = fields.zeroDataRetention === true
    // A scrape with zeroDataRetention cannot be read again, and its URL must not be stored either.
    if (success === false || (keepsNothing && route.endpoint === 'scrape')) return undefined
    const jobId = data?.metadata?.scrapeId ?? id
    return {
      // v1 maps have no id.
      id: typeof jobId === 'string' ? jobId : uuidV7(),
      teamId,
      endpoint: route.endpoint,
      apiVersion: version === 'v1' ? 'v1' : 'v2',
      target: keepsNothing ? null : route.targetOf(fields),
      error: isBowlineError(error) ? error.code : null,
      createdAt,
    }
  }
}

function urlOf({ url }: CallBody): string | null {
  return typeof url === 'string' ? url : null
}

function firstUrlOf({ urls }: CallBody): string | null {
  const first: unknown = Array.isArray(urls) ? urls[0] : undefined
  return typeof first === 'string' ? first : null
}

/** Errors of a job that has started. Any other 4xx or 503 rejected the call before. */
const workErrors = /^(?:SCRAPE|PDF|EGRESS|MAP|SEARCH|EXTRACT)_/

function hasStarted(error: unknown): boolean {
  if (!isBowlineError(error)) return false
  return error.status === 500 || error.status === 502 || (workErrors.test(error.code) && error.status !== 400)
}
