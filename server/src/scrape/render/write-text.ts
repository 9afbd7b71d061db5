import { BowlineError } from 'bowline/kit/errors'
import { evaluateFunction } from './evaluate.ts'
import type { Tab } from './tab.ts'

/**
 * Writes text into the element with the focus. Throws SCRAPE_ACTION_ERROR if there is none, or if
 * it accepts no text.
 */
export async function writeText(tab: Tab, text: string): Promise<void> {
  const refusing = (await evaluateFunction(tab, findRefusing)) as string | null
  if (refusing !== null) {
    const why =
      refusing === '' ? 'No element has the focus' : `The element with the focus, <${refusing}>, accepts no text`
    throw new BowlineError('SCRAPE_ACTION_ERROR', why, { hint: 'Add a `click` action on the input before it.' })
  }
  await tab.call('Input.insertText', { text })
}

/**
 * Returns the name of the element with the focus if it accepts no text, '' if no element has the
 * focus, or null. Elements of closed shadow trees and frames of other sites cannot be seen, and are
 * assumed to accept it. Runs in the page.
 */
const findRefusing = `() => {
  let element = document.activeElement
  for (let inner = element; inner; ) {
    element = inner
    inner = element.shadowRoot?.activeElement ?? element.contentDocument?.activeElement
  }
  if (!element) return ''
  const isEditable = element.matches(':read-write') || element.isContentEditable || element.editContext
  const isUnknown = element.localName.includes('-') || (/^i?frame$/.test(element.localName) && !element.contentDocument)
  if (isEditable || isUnknown || element.ownerDocument.designMode === 'on') return null
  return /^(?:html|body)$/.test(element.localName) ? '' : element.localName
}`
