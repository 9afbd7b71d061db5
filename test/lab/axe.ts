import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Frame, Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Rules whose results depend on the colours and the size of the screen. */
export const rulesOfScreens = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size']

/**
 * The accessibility violations of a page, one string each. Frames are not checked. `rules` defaults
 * to all.
 */
export async function findViolations(page: Page | Frame, rules?: readonly string[]): Promise<readonly string[]> {
  // With the page's Content-Security-Policy, a script element could not add it.
  if (!(await page.evaluate<boolean>(`typeof axe === 'object'`))) await page.evaluate(source)
  const options = {
    iframes: false,
    resultTypes: ['violations'],
    // The rule is off by default.
    ...(rules === undefined ? { rules: { 'target-size': { enabled: true } } } : { runOnly: rules }),
  }
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`)
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ html, any, all }) => {
      const reason = [...any, ...all].map(({ message }) => message).join('; ')
      return `${impact} ${id}: ${html.slice(0, 200)} ${reason}`
    }),
  )
}
