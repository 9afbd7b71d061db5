import { BowlineError } from 'bowline/kit/errors'
import type { LiveSession } from './live-session.ts'

/** A target of a session that clients can connect to. */
export interface DiscoveredTarget {
  readonly id: string
  /** Such as `page`, `iframe`, `service_worker`. */
  readonly type: string
  readonly title: string
  readonly url: string
  /** Id of the target that embeds or has opened it. */
  readonly parentId: string | undefined
}

/** Types of targets that have no WebSocket of their own in Chromium. */
const hiddenTypes: ReadonlySet<string> = new Set(['browser', 'tab', 'other'])

/** Lists the targets of a session, without internal pages of the browser. Throws CDP_FAILED. */
export async function discoverTargets({
  browser: { router, targetKinds },
}: Pick<LiveSession, 'browser'>): Promise<readonly DiscoveredTarget[]> {
  const { targetInfos } = await router.call('Target.getTargets')
  return targetInfos
    .filter(({ type, targetId }) => !hiddenTypes.has(type) && targetKinds.kindOf(targetId) === 'web')
    .map(({ targetId: id, type, title, url, parentId }) => ({ id, type, title, url, parentId }))
}

/** Returns a target by its id. Throws TARGET_NOT_FOUND. */
export async function findTarget(session: Pick<LiveSession, 'browser'>, id: string): Promise<DiscoveredTarget> {
  const target = (await discoverTargets(session)).find((each) => each.id === id)
  if (target !== undefined) return target
  throw new BowlineError('TARGET_NOT_FOUND', `The session has no target ${JSON.stringify(id.slice(0, 100))}`)
}

/**
 * Returns the page that a client or a viewer used last, or the newest one if none was used. Throws
 * TARGET_NOT_FOUND.
 */
export async function frontPage(session: Pick<LiveSession, 'browser' | 'focus'>): Promise<DiscoveredTarget> {
  const pages = (await discoverTargets(session)).filter(({ type }) => type === 'page')
  const { page: used, opened } = session.focus
  const newest = pages.toSorted((one, other) => opened.indexOf(one.id) - opened.indexOf(other.id)).at(-1)
  const front = pages.find(({ id }) => id === used) ?? newest
  if (front === undefined) throw new BowlineError('TARGET_NOT_FOUND', 'The session has no open page')
  return front
}
