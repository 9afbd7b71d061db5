import type { CdpRouter } from '../cdp/router.ts'
import type { Tab } from './server-message.ts'

/** A change of a browser's tabs. */
export type TabEvent =
  | { readonly kind: 'opened'; readonly tab: string; readonly opener: string | undefined }
  | { readonly kind: 'changed' | 'closed' | 'crashed'; readonly tab: string }

/** The tabs of one browser, kept up to date until disposed. */
export interface Tabs extends AsyncDisposable {
  /** Oldest first. */
  readonly list: () => readonly Tab[]
  readonly has: (tab: string) => boolean
  /**
   * Updates a tab's title and URL. The browser sends no event when a loaded page changes its title.
   */
  readonly refresh: (tab: string) => Promise<void>
  /**
   * Id of the browser-level CDP session. Detaching from it also detaches all sessions opened in it.
   */
  readonly browserSession: string
}

interface TargetInfo {
  readonly targetId: string
  readonly type: string
  readonly title: string
  readonly url: string
  readonly openerId?: string
}

/**
 * Tracks the pages of a browser. Existing pages are sorted by their position in `opened`. Calls
 * `onEvent` after each later change.
 */
export async function watchTabs(
  router: CdpRouter,
  opened: readonly string[],
  onEvent: (event: TabEvent) => void,
): Promise<Tabs> {
  const { sessionId } = (await router.call('Target.attachToBrowserTarget')) as { sessionId: string }
  const tabs = new Map<string, Tab>()
  let isReady = false
  const follow = followTargets(tabs, (event) => isReady && onEvent(event))
  const stop = router.onEvent((event) => {
    if (event.sessionId === sessionId && event.method !== undefined) follow(event.method, event.params ?? {})
  })
  // Events for existing pages arrive before the response.
  await router.call('Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page' }] }, sessionId)
  sortTabs(tabs, opened)
  isReady = true
  return {
    browserSession: sessionId,
    list: () => [...tabs.values()],
    has: (tab) => tabs.has(tab),
    refresh: async (tab) => {
      // A crashed tab keeps its last title.
      if (tabs.get(tab)?.isCrashed !== false) return
      const { targetInfo } = await router.call('Target.getTargetInfo', { targetId: tab }, sessionId)
      if (tabs.get(tab)?.isCrashed === false) follow('Target.targetInfoChanged', { targetInfo })
    },
    [Symbol.asyncDispose]: async () => {
      stop()
      // Fails if the browser has exited.
      await router.call('Target.detachFromTarget', { sessionId }).catch(() => undefined)
    },
  }
}

function sortTabs(tabs: Map<string, Tab>, opened: readonly string[]): void {
  const sorted = [...tabs].toSorted(([left], [right]) => opened.indexOf(left) - opened.indexOf(right))
  tabs.clear()
  for (const [id, tab] of sorted) tabs.set(id, tab)
}

function followTargets(tabs: Map<string, Tab>, onEvent: (event: TabEvent) => void) {
  return (method: string, params: Readonly<Record<string, unknown>>): void => {
    const info = params['targetInfo'] as TargetInfo | undefined
    const id = info?.targetId ?? String(params['targetId'])
    if (method === 'Target.targetCreated' && info?.type === 'page') {
      tabs.set(id, toTab(info))
      onEvent({ kind: 'opened', tab: id, opener: info.openerId })
    } else if (method === 'Target.targetInfoChanged' && info !== undefined) {
      const previous = tabs.get(id)
      const tab = toTab(info)
      if (previous === undefined || (previous.title === tab.title && previous.url === tab.url && !previous.isCrashed))
        return
      tabs.set(id, tab)
      onEvent({ kind: 'changed', tab: id })
    } else if (method === 'Target.targetCrashed' && tabs.has(id)) {
      const tab = tabs.get(id)
      if (tab !== undefined) tabs.set(id, { ...tab, isCrashed: true })
      onEvent({ kind: 'crashed', tab: id })
    } else if (method === 'Target.targetDestroyed' && tabs.delete(id)) {
      onEvent({ kind: 'closed', tab: id })
    }
  }
}

const maxUrlLength = 2000

// Truncates data: URLs, which may be megabytes long.
function toTab({ targetId, title, url }: TargetInfo): Tab {
  return {
    id: targetId,
    title: title.slice(0, 200),
    url: url.slice(0, maxUrlLength),
    isCrashed: false,
  }
}
