import { handoffSummary } from '../../handoff/handoffs.ts'
import { frontPage } from '../../sessions/discover-targets.ts'
import type { LiveSession } from '../../sessions/live-session.ts'
import { getTeamSession } from '../../sessions/session-queries.ts'
import { abortOnDisconnect } from '../disconnect-signal.ts'
import type { Call, Handlers } from '../register.ts'
import { requireLiveSession } from '../require-live-session.ts'
import type { SessionNodeDeps } from '../session-node.ts'

/** Routes of hand-offs to a human. The node of the session handles them. */
export function handoffHandlers({ store, sessions }: Pick<SessionNodeDeps, 'store' | 'sessions'>): Handlers {
  const find = async (id: string, { key }: Call): Promise<LiveSession> =>
    requireLiveSession(sessions, await getTeamSession(store.db, id, key.teamId))

  return {
    startHandoff: async ({ params, query, body }, call) => {
      const session = await find(params.id, call)
      session.touch()
      const { timeout: timeoutMs, ...request } = body
      const targetId = request.targetId ?? (await frontPage(session)).id
      const { id } = await session.handoffs.start({ ...request, targetId, timeoutMs })
      return describe(session, id, query.wait, call)
    },
    getHandoff: async ({ params, query }, call) =>
      describe(await find(params.id, call), params.handoffId, query.wait, call),
    cancelHandoff: async ({ params }, call) => {
      const { handoffs } = await find(params.id, call)
      handoffs.end(params.handoffId, { isSuccess: false, endedBy: 'client', reason: 'The client cancelled it' })
      return { success: true, handoff: handoffSummary(handoffs.get(params.handoffId)) }
    },
  }
}

/** Returns a hand-off once it has ended, or as it is after `waitSeconds`. */
async function describe({ handoffs }: LiveSession, id: string, waitSeconds: number, { raw }: Call) {
  using caller = abortOnDisconnect(raw)
  const signal = AbortSignal.any([caller.signal, AbortSignal.timeout(waitSeconds * 1000)])
  const handoff = waitSeconds === 0 ? handoffs.get(id) : await handoffs.whenEnded(id, signal)
  return { success: true as const, handoff: handoffSummary(handoff) }
}
