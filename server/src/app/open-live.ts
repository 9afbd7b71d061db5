import type { Gateway } from '../gateway/gateway.ts'
import { judgeCommand } from '../gateway/policy.ts'
import { LiveViews } from '../live/live-views.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { findSession } from '../store/sessions.ts'
import type { AppDeps } from './collect-app-deps.ts'

/**
 * Creates the live views. The gateway tracks the active page. Its command policy decides which URLs
 * viewers may navigate to.
 */
export function openLive({ store, onError }: AppDeps, sessions: Sessions, gateway: Gateway): LiveViews {
  return new LiveViews({
    onError,
    pageStateOf: (session) => {
      const focus = gateway.focusOf(session)
      const { folder, targetKinds } = session.browser
      // Viewers control pages and never choose a CDP session.
      const policy = { ...folder.visiblePaths, kindOfSession: () => undefined, kindOfTarget: targetKinds.kindOf }
      return {
        activePage: () => focus.page,
        openedPages: () => focus.opened,
        onActivePage: (listener) => focus.onChange(listener),
        openDialog: (page) => focus.dialogOf(page),
        refuse: (command) => {
          const verdict = judgeCommand({ id: 0, ...command }, policy)
          return verdict.kind === 'refuse' ? verdict.message : undefined
        },
      }
    },
    // A second call to `end` only waits for the bill of the first.
    billedRow: async (session, reason) =>
      (await sessions.end(session.row.id, reason)) ?? findSession(store.db, session.row.id),
  })
}
