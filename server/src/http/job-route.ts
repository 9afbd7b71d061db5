import type { ActivityEndpoint } from 'bowline/contract/activity'
import { isBowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import type { NewActivity } from '../usage/activity-log.ts'

/** What tells of a job in the body and the answer of its route. */
interface JobRoute {
  readonly endpoint: ActivityEndpoint
  /** What the job is about; null: nothing to name. */
  readonly targetOf: (body: JobBody) => string | null
}

interface JobBody {
  readonly url?: unknown
  readonly urls?: unknown
  readonly query?: unknown
  readonly zeroDataRetention?: unknown
}

interface JobAnswer {
  readonly success?: unknown
  readonly id?: unknown
  readonly data?: { readonly metadata?: { readonly scrapeId?: unknown } }
}

function urlOf({ url }: JobBody): string | null {
  return typeof url === 'string' ? url : null
}
function firstUrlOf({ urls }: JobBody): string | null {
  const first: unknown = Array.isArray(urls) ? urls[0] : undefined
  return typeof first === 'string' ? first : null
}
const session: JobRoute = { endpoint: 'browser', targetOf: () => 'Browser session' }

/** Each POST route that begins a job, without `/v1` and `/v2`. */
const jobRoutes: Readonly<Record<string, JobRoute>> = {
  scrape: { endpoint: 'scrape', targetOf: urlOf },
  'batch/scrape': { endpoint: 'batch_scrape', targetOf: firstUrlOf },
  crawl: { endpoint: 'crawl', targetOf: urlOf },
  map: { endpoint: 'map', targetOf: urlOf },
  search: { endpoint: 'search', targetOf: ({ query }) => (typeof query === 'string' ? query : null) },
  extract: { endpoint: 'extract', targetOf: firstUrlOf },
  browser: session,
  interact: session,
}

/** Describes the job of a finished call for the activity. `undefined` if the call started no job, or none may be kept. */
export type DescribeJob = (
  call: { readonly teamId: string; readonly body: unknown; readonly answer?: unknown; readonly error?: unknown },
  createdAt: Date,
) => NewActivity | undefined

/** How to tell of the jobs of a route; undefined: it begins none. */
export function jobRouteOf(method: string, path: string): DescribeJob | undefined {
  const [, version = '', name = ''] = /^\/(v[12])\/(.+)$/.exec(path) ?? []
  const route = method === 'POST' && Object.hasOwn(jobRoutes, name) ? jobRoutes[name] : undefined
  if (route === undefined) return undefined
  return ({ teamId, body, answer, error }, createdAt) => {
    if (error !== undefined && !hasStarted(error)) return undefined
    const given = (body ?? {}) as JobBody
    const { success, id, data } = (answer ?? {}) as JobAnswer
    const keepsNothing = given.zeroDataRetention === true
    // Nobody can read such a scrape again, and its address is to be forgotten, too.
    if (success === false || (keepsNothing && route.endpoint === 'scrape')) return undefined
    const jobId = data?.metadata?.scrapeId ?? id
    return {
      // The first version of maps answers no id.
      id: typeof jobId === 'string' ? jobId : uuidV7(),
      teamId,
      endpoint: route.endpoint,
      apiVersion: version === 'v1' ? 'v1' : 'v2',
      target: keepsNothing ? null : route.targetOf(given),
      error: isBowlineError(error) ? error.code : null,
      createdAt,
    }
  }
}

/** Errors of the work itself. Any other 4xx or 503 refused the call before it started. */
const workErrors = /^(?:SCRAPE|PDF|EGRESS|MAP|SEARCH|EXTRACT)_/

function hasStarted(error: unknown): boolean {
  if (!isBowlineError(error)) return false
  return error.status === 500 || error.status === 502 || (workErrors.test(error.code) && error.status !== 400)
}
