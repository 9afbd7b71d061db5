import type { Gateway } from '../../gateway/gateway.ts'
import { getTeamSession } from '../../sessions/session-queries.ts'
import type { Handlers } from '../register.ts'
import { requireLiveSession } from '../require-live-session.ts'
import type { SessionNodeDeps } from '../session-node.ts'

/** Dependencies of the routes that run code. */
export interface ExecuteRouteDeps extends Pick<SessionNodeDeps, 'store' | 'sessions'> {
  readonly gateway: Pick<Gateway, 'connect'>
}

/** Routes that run code in a session. The node of the session handles them. */
export function executeHandlers({ store, sessions, gateway }: ExecuteRouteDeps): Handlers {
  return {
    execute: async ({ params, body }, { key }) => {
      const session = await requireLiveSession(sessions, await getTeamSession(store.db, params.id, key.teamId))
      const outcome = await session.code.run(body, async (upgrade) =>
        gateway.connect(session, upgrade, { query: new URLSearchParams(), targetId: undefined }),
      )
      return { success: true, ...session.secrets.mask.applyToJson(outcome) }
    },
  }
}
