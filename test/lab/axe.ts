import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Result } from 'axe-core'
import type { Frame, Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Rules whose results depend on colours. Checking them takes most of the time of axe. */
export const rulesOfColours = ['color-contrast', 'link-in-text-block']

/** Rules whose results depend on the size of the screen. */
export const rulesOfSizes = ['scrollable-region-focusable', 'target-size']

/** Rules whose results depend on the colours and the size of the screen. */
export const rulesOfScreens = [...rulesOfColours, ...rulesOfSizes]

/** Options of `findViolations`. */
export interface AxeOptions {
  /** Rules to check. Default: all. */
  readonly rules?: readonly string[]
  /** Leaves out the rules of colours, for content whose colours were checked before. */
  readonly hasKnownColours?: boolean
}

/** The accessibility violations of a page, one string each. Frames are not checked. */
export async function findViolations(
  page: Page | Frame,
  { rules, hasKnownColours = false }: AxeOptions = {},
): Promise<readonly string[]> {
  // With the page's Content-Security-Policy, a script element could not add it.
  if (!(await page.evaluate<boolean>(`typeof axe === 'object'`))) await page.evaluate(source)
  const options = {
    iframes: false,
    // Without the style sheets, which only rules that are off by default read.
    preload: { assets: ['media'] },
    resultTypes: ['violations'],
    ...(rules === undefined ? { rules: settingsOfRules(hasKnownColours) } : { runOnly: rules }),
  }
  // The passed checks, which are many, stay in the page.
  const run = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`
  const violations = await page.evaluate<readonly Result[]>(run)
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ html, any, all }) => {
      const reason = [...any, ...all].map(({ message }) => message).join('; ')
      return `${impact} ${id}: ${html.slice(0, 200)} ${reason}`
    }),
  )
}

function settingsOfRules(hasKnownColours: boolean): Readonly<Record<string, { readonly enabled: boolean }>> {
  const off = hasKnownColours ? rulesOfColours.map((rule) => [rule, { enabled: false }] as const) : []
  // The rule is off by default.
  return { 'target-size': { enabled: true }, ...Object.fromEntries(off) }
}
