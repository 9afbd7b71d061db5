import { setTimeout as sleep } from 'node:timers/promises'
import type { Protocol } from '../cdp/protocol.ts'
import type { CdpRouter } from '../cdp/router.ts'

/** The page a browser starts with. */
export interface ParkedPage {
  readonly targetId: string
  /** Id of the default context. Undefined if the browser does not report it. */
  readonly browserContextId: string | undefined
}

// Reached only with a Chromium that gives its blank page another title or none.
const settleMs = 5000

/**
 * Finds the page a browser starts with, and waits until its about:blank is loaded: it would undo an
 * earlier navigation.
 * `announced` resolves when all existing targets were announced. Later changes must be announced as
 * well.
 */
export async function findParkedPage(router: CdpRouter, announced: Promise<unknown>): Promise<ParkedPage> {
  const loaded = Promise.withResolvers<string>()
  let first: string | undefined
  let browserContextId: string | undefined
  const check = (info: Protocol.Target.TargetInfo): void => {
    if (info.type !== 'page') return
    first ??= info.targetId
    if (info.targetId === first) browserContextId = info.browserContextId
    // The title is empty until the page is loaded.
    if (info.targetId === first && info.title !== '') loaded.resolve(first)
  }
  const stop = router.onEvent(({ method, params }) => {
    if (method === 'Target.targetCreated' || method === 'Target.targetInfoChanged') check(params.targetInfo)
  })
  try {
    await announced
    first ??= (await router.call('Target.createTarget', { url: 'about:blank' })).targetId
    const settled = [loaded.promise, sleep(settleMs, first, { ref: false }), router.closed.then(() => '')]
    const targetId = await Promise.race(settled)
    return { targetId, browserContextId }
  } finally {
    stop()
  }
}
