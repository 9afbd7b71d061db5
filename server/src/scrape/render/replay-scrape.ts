import { sleep } from 'bowline/kit/sleep'
import { waitOfActions } from 'bowline/contract/actions'
import { mergeSignals } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { frontPage } from '../../sessions/discover-targets.ts'
import type { LiveSession } from '../../sessions/live-session.ts'
import type { ScrapeReplay } from '../queries/scrape-replay.ts'
import { closeDialogs } from './close-dialogs.ts'
import { navigate, watchNavigation } from './navigate.ts'
import { performActions } from './perform-actions.ts'
import { attachToTab } from './tab.ts'

/** Time for the page to load, in milliseconds. */
const loadMs = 15_000

/**
 * Repeats a scrape in the page of a session: loads the URL, waits, and performs the actions. Takes
 * at most the sum of its waits and 45 s. Throws SCRAPE_*, CDP_FAILED, or the signal's reason.
 */
export async function replayScrape(session: LiveSession, replay: ScrapeReplay): Promise<void> {
  const { url, waitFor, actions, skipTlsVerification = false } = replay
  const timeoutMs = Math.min(300_000, waitFor + waitOfActions(actions) + 45_000)
  const { id } = await frontPage(session)
  const signal = mergeSignals(session.ended, AbortSignal.timeout(timeoutMs))
  using tab = await attachToTab(session.browser.router, id, { signal, frameDomains: ['DOM', 'Network'] })
  // For the whole browser: an override in the tab would end when this detaches from it.
  if (skipTlsVerification) await session.browser.router.call('Security.setIgnoreCertificateErrors', { ignore: true })
  try {
    closeDialogs(tab)
    const watch = watchNavigation(tab)
    await Promise.all([tab.call('DOM.enable'), tab.call('Page.enable'), tab.call('Network.enable')])
    const outcome = await navigate(tab, url)
    if (outcome === 'download') {
      throw new BowlineError('SCRAPE_SITE_ERROR', `${url} is a file, and a session can only continue on a page`)
    }
    if (outcome !== 'opened') throw new BowlineError('SCRAPE_SITE_ERROR', `${url} could not be opened (${outcome})`)
    await watch.waitUntilIdle(loadMs)
    if (waitFor > 0) await sleep(waitFor, signal)
    await performActions(tab, watch, actions)
  } finally {
    await tab.detach()
  }
}
