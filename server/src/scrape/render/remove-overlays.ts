import { isBowlineError } from 'bowline/kit/errors'
import { adSelectors } from './ad-rules.ts'
import { findConsentBanner, dismissConsent } from './dismiss-consent.ts'
import { evaluateFunction } from './evaluate.ts'
import type { NavigationWatch } from './navigate.ts'
import type { Tab } from './tab.ts'

/** Removes all elements that match. Runs in the page. */
const removeAll = `(selectors) => { for (const element of document.querySelectorAll(selectors)) element.remove() }`

/**
 * Removes them at once if the page does not ask for consent, which is the case for most pages. Runs
 * in the page.
 */
const removeUnlessConsentAsked = `(selectors) => {
  const isAsked = (${findConsentBanner})()
  if (!isAsked) (${removeAll})(selectors)
  return isAsked
}`

/** Maximum wait for what dismissing a banner triggers, in milliseconds. */
const afterConsentMs = 2000

/**
 * Rejects cookies in a consent banner, and removes leftovers of the banner and advertisements.
 * `script` loads the script that recognizes banners.
 */
export async function removeOverlays(tab: Tab, watch: NavigationWatch, script: () => Promise<string>): Promise<void> {
  const selectors = adSelectors.join(', ')
  if ((await evaluateFunction(tab, removeUnlessConsentAsked, selectors)) !== true) return
  // Wait for what the choice triggers, such as the fading of the banner.
  if (await dismissOrWarn(tab, script)) await watch.waitUntilIdle(afterConsentMs)
  await evaluateFunction(tab, removeAll, selectors)
}

/** Dismisses the banner. Without the package that recognizes banners, adds a warning instead. */
async function dismissOrWarn(tab: Tab, script: () => Promise<string>): Promise<boolean> {
  try {
    return await dismissConsent(tab, script)
  } catch (error) {
    if (!isBowlineError(error) || error.code !== 'PACKAGE_MISSING') throw error
    tab.warnings.add(`The cookie consent banner of the page was removed without an answer. ${error.message}.`)
    return false
  }
}
