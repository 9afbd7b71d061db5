import type { CdpEvent, Protocol } from '../cdp/protocol.ts'
import type { CdpRouter } from '../cdp/router.ts'
import { attachToBrowser, type CdpSession } from '../cdp/targets.ts'
import { copyStart } from '../kit/copy-start.ts'
import { withoutCredentials } from '../kit/without-credentials.ts'
import type { Tab } from './server-message.ts'

/** A change of a browser's tabs. */
export type TabEvent =
  | { readonly kind: 'opened'; readonly tabId: string; readonly opener: string | undefined }
  | { readonly kind: 'changed' | 'closed' | 'crashed'; readonly tabId: string }

/** The tabs of one browser, kept up to date until disposed. */
export interface Tabs extends AsyncDisposable {
  /** Oldest first. */
  readonly list: () => readonly Tab[]
  readonly has: (tabId: string) => boolean
  /**
   * Updates the titles and URLs of all tabs. The browser sends no event when a loaded page changes
   * its title.
   */
  readonly refresh: () => Promise<void>
  /** Session with the browser. It ends with this object, as do all sessions opened in it. */
  readonly browserSession: CdpSession
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
  const browserSession = await attachToBrowser(router)
  const tabs = new Map<string, Tab>()
  let isReady = false
  const follow = followTargets(tabs, (event) => isReady && onEvent(event))
  const stop = browserSession.onEvent(follow)
  // Events for existing pages arrive before the response.
  await browserSession.call('Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page' }] })
  sortTabs(tabs, opened)
  isReady = true
  return {
    browserSession,
    list: () => [...tabs.values()],
    has: (tabId) => tabs.has(tabId),
    refresh: async () => {
      const { targetInfos } = await browserSession.call('Target.getTargets', { filter: [{ type: 'page' }] })
      for (const targetInfo of targetInfos) {
        // A crashed tab keeps its last title.
        if (tabs.get(targetInfo.targetId)?.isCrashed !== false) continue
        follow({ method: 'Target.targetInfoChanged', params: { targetInfo } })
      }
    },
    [Symbol.asyncDispose]: async () => {
      stop()
      await browserSession[Symbol.asyncDispose]()
    },
  }
}

function sortTabs(tabs: Map<string, Tab>, opened: readonly string[]): void {
  const sorted = [...tabs].toSorted(([left], [right]) => opened.indexOf(left) - opened.indexOf(right))
  tabs.clear()
  for (const [tabId, tab] of sorted) tabs.set(tabId, tab)
}

function followTargets(tabs: Map<string, Tab>, onEvent: (event: TabEvent) => void) {
  return ({ method, params }: CdpEvent): void => {
    if (method === 'Target.targetCreated' && params.targetInfo.type === 'page') {
      const { targetId, openerId } = params.targetInfo
      tabs.set(targetId, toTab(params.targetInfo))
      onEvent({ kind: 'opened', tabId: targetId, opener: openerId })
    } else if (method === 'Target.targetInfoChanged') {
      const tab = toTab(params.targetInfo)
      const previous = tabs.get(tab.id)
      if (previous === undefined || (previous.title === tab.title && previous.url === tab.url && !previous.isCrashed))
        return
      tabs.set(tab.id, tab)
      onEvent({ kind: 'changed', tabId: tab.id })
    } else if (method === 'Target.targetCrashed') {
      const tab = tabs.get(params.targetId)
      if (tab === undefined) return
      tabs.set(tab.id, { ...tab, isCrashed: true })
      onEvent({ kind: 'crashed', tabId: tab.id })
    } else if (method === 'Target.targetDestroyed' && tabs.delete(params.targetId)) {
      onEvent({ kind: 'closed', tabId: params.targetId })
    }
  }
}

const maxUrlLength = 2000

// As in an address bar, the URL has no password. Truncates data: URLs, which may be megabytes long.
function toTab({ targetId, title, url }: Protocol.Target.TargetInfo): Tab {
  return {
    id: targetId,
    title: copyStart(title, 200),
    url: copyStart(withoutCredentials(url), maxUrlLength),
    isCrashed: false,
  }
}
