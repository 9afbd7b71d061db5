import type { Gateway } from '../gateway/gateway.ts'
import { judgeCommand } from '../gateway/policy.ts'
import { LiveViews } from '../live/live-views.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { findSession } from '../store/sessions.ts'
import type { Parts } from './prepare-sessions.ts'

/** The live view learns from the gateway which page is driven, and asks it what a viewer may send. */
export function openLive({ store, onError }: Parts, sessions: Sessions, gateway: Gateway): LiveViews {
  return new LiveViews({
    onError,
    liveViewDeps: (session) => {
      const focus = gateway.focusOf(session)
      const { folder, targets } = session.browser
      // Viewers drive pages, never a session of their choice.
      const policy = { ...folder.seen, kindOfSession: () => undefined, kindOfTarget: targets.kindOf }
      return {
        activePage: () => focus.page,
        openedPages: () => focus.opened,
        onActivePage: (listener) => focus.onChange(listener),
        openDialog: (page) => focus.dialogOf(page),
        refuse: (method, params) => {
          const verdict = judgeCommand({ id: 0, method, params }, policy)
          return verdict.kind === 'refuse' ? verdict.message : undefined
        },
      }
    },
    // Ending a session a second time only waits for its bill.
    billedRow: async (session, reason) =>
      (await sessions.end(session.row.id, reason)) ?? findSession(store.db, session.row.id),
  })
}
