import { auditMetadata } from 'bowline/contract/audit'
import type { ApiVersion } from 'bowline/contract/paths'
import type { Route, RouteActivity } from 'bowline/contract/route'
import { isBowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import { withoutCredentials } from '../kit/without-credentials.ts'
import type { NewActivity } from '../usage/activity-log.ts'
import { keepsNoData } from '../jobs/keeps-no-data.ts'

interface CallBody {
  readonly url?: unknown
  readonly urls?: unknown
  readonly query?: unknown
  readonly name?: unknown
  readonly zeroDataRetention?: unknown
  readonly auditMetadata?: unknown
  readonly scrapeOptions?: { readonly auditMetadata?: unknown; readonly zeroDataRetention?: unknown } | undefined
}

interface CallResponse {
  readonly success?: unknown
  readonly id?: unknown
  /** Of an interaction. Further ones in the session do not start it, and are not recorded. */
  readonly sessionId?: unknown
  readonly data?: { readonly metadata?: { readonly scrapeId?: unknown; readonly url?: unknown } }
}
/**
 * Returns the activity of a finished call, or `undefined` if it started no work or must not be
 * recorded.
 */
export type DescribeActivity = (call: FinishedCall, createdAt: Date) => NewActivity | undefined

interface FinishedCall {
  readonly teamId: string
  readonly apiVersion: ApiVersion
  readonly body: unknown
  readonly response?: unknown
  readonly error?: unknown
}

/**
 * Returns the function that describes calls of a route for the activity log, or `undefined` if the
 * route starts no work.
 */
export function activityDescriber({ activity }: Pick<Route, 'activity'>): DescribeActivity | undefined {
  if (activity === undefined) return undefined
  return ({ teamId, apiVersion, body, response, error }, createdAt) => {
    if (error !== undefined && !hasStarted(error)) return undefined
    const fields = (body ?? {}) as CallBody
    const { success, id, sessionId, data } = (response ?? {}) as CallResponse
    const keepsNothing = keepsNoData(fields)
    // An interaction starts its session even if its code fails.
    if (success === false && sessionId === undefined) return undefined
    const workId = data?.metadata?.scrapeId ?? sessionId ?? id
    return {
      // v1 maps have no id.
      id: typeof workId === 'string' ? workId : uuidV7(),
      teamId,
      endpoint: activity.endpoint,
      apiVersion,
      // With zeroDataRetention, URLs are not kept either.
      target: keepsNothing ? null : targetOf(activity, { url: data?.metadata?.url, ...fields }),
      error: isBowlineError(error) ? error.code : null,
      auditUsername: usernameOf(fields),
      createdAt,
    }
  }
}

/** Crawls and searches have the metadata in the options of their pages. */
function usernameOf({ auditMetadata: own, scrapeOptions }: CallBody): string | null {
  const metadata = auditMetadata.safeParse(own ?? scrapeOptions?.auditMetadata)
  return metadata.data?.username ?? null
}

function targetOf({ target }: RouteActivity, body: CallBody): string | null {
  if (target === 'retry') return 'Failed pages of an earlier job'
  if (target === 'session') return typeof body.name === 'string' ? body.name : 'Browser session'
  const value = body[target]
  const first: unknown = Array.isArray(value) ? value[0] : value
  if (typeof first !== 'string') return null
  return target === 'url' || target === 'urls' ? withoutCredentials(first) : first
}

/**
 * Errors of work that has started, and of clients that disconnected. Any other 4xx or 503 rejected
 * the call before.
 */
const workErrors = /^(?:(?:SCRAPE|PDF|DOCUMENT|EGRESS|MAP|SEARCH|EXTRACT)_|ABORTED$)/

function hasStarted(error: unknown): boolean {
  if (!isBowlineError(error)) return false
  return error.status === 500 || error.status === 502 || (workErrors.test(error.code) && error.status !== 400)
}
