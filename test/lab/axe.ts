import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Frame, Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The accessibility violations of a page, one string each. Frames are not checked. */
export async function findViolations(page: Page | Frame): Promise<readonly string[]> {
  // With the page's Content-Security-Policy, a script element could not add it.
  if (!(await page.evaluate<boolean>(`typeof axe === 'object'`))) await page.evaluate(source)
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(document, { iframes: false, resultTypes: ['violations'] })`,
  )
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ html, any, all }) => {
      const reason = [...any, ...all].map(({ message }) => message).join('; ')
      return `${impact} ${id}: ${html.slice(0, 200)} ${reason}`
    }),
  )
}
