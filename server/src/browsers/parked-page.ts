import { setTimeout as sleep } from 'node:timers/promises'
import type { CdpIncoming } from '../cdp/message.ts'
import type { CdpRouter } from '../cdp/router.ts'

/** The page a browser starts with. */
export interface ParkedPage {
  readonly targetId: string
  /** The default context. Undefined: the browser did not name it. */
  readonly browserContextId: string | undefined
}

interface TargetInfo {
  readonly targetId: string
  readonly browserContextId?: string
  readonly type: string
  readonly title: string
}

// Only a Chromium that titles its blank page otherwise, or not at all, is waited for so long.
const settleMs = 5000

/**
 * The page a browser starts with, once its about:blank is loaded: a navigation before that would be undone by it.
 * `announced` resolves when the targets that exist were announced to the server; later changes must be, too.
 */
export async function findParkedPage(router: CdpRouter, announced: Promise<unknown>): Promise<ParkedPage> {
  const loaded = Promise.withResolvers<string>()
  let first: string | undefined
  let browserContextId: string | undefined
  const look = (info: TargetInfo | undefined): void => {
    if (info?.type !== 'page') return
    first ??= info.targetId
    if (info.targetId === first) browserContextId = info.browserContextId
    // The title is empty until the page is there.
    if (info.targetId === first && info.title !== '') loaded.resolve(first)
  }
  const stop = router.onEvent((event: CdpIncoming) => look(event.params?.['targetInfo'] as TargetInfo | undefined))
  try {
    await announced
    first ??= String((await router.call('Target.createTarget', { url: 'about:blank' }))['targetId'])
    const settled = [loaded.promise, sleep(settleMs, first, { ref: false }), router.closed.then(() => '')]
    const targetId = await Promise.race(settled)
    return { targetId, browserContextId }
  } finally {
    stop()
  }
}
