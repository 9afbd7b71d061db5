import { isBowlineError } from 'bowline/kit/errors'
import { adSelectors } from './ad-rules.ts'
import { findConsentBanner, dismissConsent } from './dismiss-consent.ts'
import { evaluateFunction } from './evaluate.ts'
import type { NavigationWatch } from './navigate.ts'
import type { Tab } from './tab.ts'

/** Removes what is hidden by force: a banner that covers the page, an advertisement. */
const removeAll = `(selectors) => { for (const element of document.querySelectorAll(selectors)) element.remove() }`

/** Removes them at once when nobody asks for consent, as on most pages. */
const removeUnlessConsentAsked = `(selectors) => {
  const isAsked = (${findConsentBanner})()
  if (!isAsked) (${removeAll})(selectors)
  return isAsked
}`

/** Milliseconds for what a dismissed banner sets off. */
const afterConsentMs = 2000

/** Says no to a banner about cookies, and removes what is left of it and of advertisements. `script`: what knows the banners. */
export async function removeOverlays(tab: Tab, watch: NavigationWatch, script: () => Promise<string>): Promise<void> {
  const selectors = adSelectors.join(', ')
  if ((await evaluateFunction(tab, removeUnlessConsentAsked, selectors)) !== true) return
  // What a choice sets off, if only the fading of the banner, belongs to the page.
  if (await dismissOrWarn(tab, script)) await watch.settle(afterConsentMs)
  await evaluateFunction(tab, removeAll, selectors)
}

/** Without the package that knows the banners, the page gets a warning. */
async function dismissOrWarn(tab: Tab, script: () => Promise<string>): Promise<boolean> {
  try {
    return await dismissConsent(tab, script)
  } catch (error) {
    if (!isBowlineError(error) || error.code !== 'PACKAGE_MISSING') throw error
    tab.warnings.add(`The page asks for consent to cookies, which was not answered. ${error.message}.`)
    return false
  }
}
