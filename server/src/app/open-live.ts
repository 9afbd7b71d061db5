import { judgeCommand } from '../gateway/policy.ts'
import { LiveViews } from '../live/live-views.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Store } from '../store/store.ts'
import { findSession } from '../sessions/session-queries.ts'
import type { AppDeps } from './collect-app-deps.ts'

/**
 * Creates the live views. The command policy of the gateway decides which URLs viewers may navigate
 * to.
 */
export function openLive(store: Store, sessions: Sessions, onError: AppDeps['onError']): LiveViews {
  return new LiveViews({
    onError,
    refuse: (session, command) => {
      const { folder, targetKinds } = session.browser
      // Viewers control pages and never choose a CDP session.
      const policy = { ...folder.visiblePaths, kindOfSession: () => undefined, kindOfTarget: targetKinds.kindOf }
      const verdict = judgeCommand({ id: 0, ...command }, policy)
      return verdict.kind === 'refuse' ? verdict.message : undefined
    },
    // A second call to `end` only waits for the bill of the first.
    billedRow: async (session, reason) =>
      (await sessions.end(session.row.id, reason)) ?? findSession(store.db, session.row.id),
  })
}
