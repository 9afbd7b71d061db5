import { sleep } from 'bowline/kit/sleep'
import type { CdpRouter } from '../cdp/router.ts'
import { attachToTarget, type CdpSession } from '../cdp/targets.ts'
import type { Browser } from './launch.ts'
import { commandLineOf, groupMembers, hasThreads } from './process-table.ts'

const pollMs = 5

/**
 * Makes a browser write the localStorage of its pages to disk. It otherwise does so after some
 * seconds, and full Chromium does not wait for the writing process when it exits. This kills the
 * renderers, which makes the browser commit their changes at once. The pages are dead afterwards.
 * Rejects with the signal's reason.
 */
export async function flushStorage({ pid, router }: Browser, signal: AbortSignal): Promise<void> {
  const page = await attachToAnyPage(router)
  await killRenderers(pid, signal)
  // A page's changes are written as soon as its process is gone. Clearing an origin that does
  // not exist reaches the writer after that, so the response comes when the changes are written.
  const request = { origin: 'https://storage.invalid', storageTypes: 'local_storage' }
  for (let round = 0; round < 2; round++) await page.call('Storage.clearDataForOrigin', request)
}

/** Kills the renderer processes and waits until the kernel has closed their files. */
async function killRenderers(browserPid: number, signal: AbortSignal): Promise<void> {
  const renderers = groupMembers(browserPid).filter((pid) => commandLineOf(pid)?.includes('--type=renderer') === true)
  for (const pid of renderers) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Already gone.
    }
  }
  while (renderers.some(hasThreads)) await sleep(pollMs, signal)
}

/** Attaches to a page of the default context, the only one with persistent storage. */
async function attachToAnyPage(router: CdpRouter): Promise<CdpSession> {
  const [{ browserContextIds }, { targetInfos }] = await Promise.all([
    router.call('Target.getBrowserContexts'),
    router.call('Target.getTargets', { filter: [{ type: 'page' }] }),
  ])
  const page = targetInfos.find(({ browserContextId = '' }) => !browserContextIds.includes(browserContextId))
  const { targetId } = page ?? (await router.call('Target.createTarget', { url: 'about:blank' }))
  return attachToTarget(router, targetId)
}
