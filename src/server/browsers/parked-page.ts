import { setTimeout as sleep } from 'node:timers/promises'
import type { CdpIncoming } from '../cdp/message.ts'
import type { CdpRouter } from '../cdp/router.ts'

interface TargetInfo {
  readonly targetId: string
  readonly type: string
  readonly title: string
}

// Only a Chromium that titles its blank page otherwise, or not at all, is waited for so long.
const settleMs = 5000

/** The id of the page a browser starts with, once its about:blank is loaded: a navigation before that would be undone by it. */
export const findParkedPage = async (router: CdpRouter): Promise<string> => {
  const loaded = Promise.withResolvers<string>()
  let first: string | undefined
  const look = (info: TargetInfo | undefined): void => {
    if (info?.type !== 'page') return
    first ??= info.targetId
    // The title is empty until the page is there.
    if (info.targetId === first && info.title !== '') loaded.resolve(first)
  }
  const stop = router.onEvent((event: CdpIncoming) => look(event.params?.['targetInfo'] as TargetInfo | undefined))
  try {
    await router.call('Target.setDiscoverTargets', { discover: true })
    // Whatever was there already was announced before the answer.
    first ??= String((await router.call('Target.createTarget', { url: 'about:blank' }))['targetId'])
    return await Promise.race([loaded.promise, sleep(settleMs, first, { ref: false }), router.closed.then(() => '')])
  } finally {
    stop()
    // A browser that is gone has been reported above.
    await router.call('Target.setDiscoverTargets', { discover: false }).catch(() => undefined)
  }
}
