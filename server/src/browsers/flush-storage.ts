import { setTimeout as sleep } from 'node:timers/promises'
import type { CdpRouter } from '../cdp/router.ts'
import type { Browser } from './launch.ts'
import { commandLineOf, groupMembers, hasThreads } from './process-table.ts'

const pollMs = 5

/**
 * Has a browser write the localStorage of its pages, which it otherwise does within seconds: at its end, full Chromium
 * does not wait for the process that writes. The pages are dead afterwards. Rejects with the signal's reason.
 */
export async function flushStorage({ pid, router }: Browser, signal: AbortSignal): Promise<void> {
  const sessionId = await attachToAnyPage(router)
  await killRenderers(pid, signal)
  // What a page has changed is written as soon as the page is gone. This asks the writer something, behind that.
  const question = { origin: 'https://storage.invalid', storageTypes: 'local_storage' }
  for (let round = 0; round < 2; round++) await router.call('Storage.clearDataForOrigin', question, sessionId)
}

/** Kills the processes of all pages and workers, and waits until the kernel has closed what they had open. */
async function killRenderers(browserPid: number, signal: AbortSignal): Promise<void> {
  const renderers = groupMembers(browserPid).filter((pid) => commandLineOf(pid)?.includes('--type=renderer') === true)
  for (const pid of renderers) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Gone meanwhile.
    }
  }
  while (renderers.some(hasThreads)) await sleep(pollMs, undefined, { signal })
}

/** A page of the default context: only there is storage that lasts. */
async function attachToAnyPage(router: CdpRouter): Promise<string> {
  const [{ browserContextIds }, { targetInfos }] = (await Promise.all([
    router.call('Target.getBrowserContexts'),
    router.call('Target.getTargets', { filter: [{ type: 'page' }] }),
  ])) as [{ browserContextIds: string[] }, { targetInfos: { targetId: string; browserContextId: string }[] }]
  const page = targetInfos.find(({ browserContextId }) => !browserContextIds.includes(browserContextId))
  const { targetId } = page ?? (await router.call('Target.createTarget', { url: 'about:blank' }))
  const { sessionId } = await router.call('Target.attachToTarget', { targetId, flatten: true })
  return String(sessionId)
}
