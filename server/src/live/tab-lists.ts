import type { Tab } from './server-message.ts'
import { encodeMessage, type Viewer } from './viewer.ts'

/**
 * Sends viewers the list of tabs. It is encoded once for all viewers that see the same tab, and not
 * sent again to a viewer that has it: a browser can have hundreds of tabs, and a session hundreds
 * of viewers.
 */
export class TabLists {
  readonly #encoded = new Map<string, Buffer>()
  readonly #sent = new WeakMap<Viewer, Buffer>()

  /** Called when the list has changed. */
  clear(): void {
    this.#encoded.clear()
  }

  /** Sends the list to a viewer that is shown a tab. */
  send(viewer: Viewer, tabs: readonly Tab[], shown: string | undefined): void {
    const isFollowing = viewer.pinned === undefined
    const message = { type: 'tabs', tabs, shown, isFollowing } as const
    const key = `${isFollowing} ${shown}`
    const encoded = this.#encoded.get(key) ?? encodeMessage(message)
    this.#encoded.set(key, encoded)
    if (this.#sent.get(viewer) === encoded) return
    this.#sent.set(viewer, encoded)
    viewer.notify(message, encoded)
  }
}
