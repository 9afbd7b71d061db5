import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadOptional } from '../../kit/optional-package.ts'
import { listFrames } from './frames.ts'
import type { Tab } from './tab.ts'

/** A function for a page: whether something over it speaks of cookies, or an element is named like a banner. A link to the cookie policy is none. */
export const findConsentBanner = `() => {
  const about = /cookie|consent|gdpr|privacy|datenschutz|confidentialit|privacidad|einwilligung/i
  const named = /cookie|consent|gdpr|(?:^|[-_ ])cmp(?:[-_ ]|$)/i
  const banner = /(?:cookie|consent|gdpr|cmp)[-_]?(?:banner|bar|notice|popup|modal|dialog|overlay|wall|message|root|sdk|alert|warning)/i
  const floats = (element) => {
    for (; element && element !== document.body; element = element.parentElement)
      if (element.localName === 'dialog' || /fixed|sticky/.test(getComputedStyle(element).position)) return element
  }
  const isShown = (element) => element.getClientRects().length > 0 && getComputedStyle(element).visibility !== 'hidden'
  for (const element of document.body?.querySelectorAll('[id],[class],iframe') ?? []) {
    const { id, className, localName } = element
    const isFrame = localName === 'iframe'
    const names = id + ' ' + (typeof className === 'string' ? className : '') + (isFrame ? ' ' + element.src + ' ' + element.title : '')
    if (named.test(names) && (banner.test(names) || isFrame || floats(element)) && isShown(element)) return true
  }
  for (const x of [0.5, 0.1, 0.9]) for (const y of [0.95, 0.5, 0.05]) {
    const over = floats(document.elementFromPoint(innerWidth * x, innerHeight * y))
    if (over && about.test(over.textContent.slice(0, 3000)) && over.querySelector('button,[role=button],a,input')) return true
  }
  return false
}`

/** What the script has found and done so far in one frame. */
const progress = `(() => {
  const said = (globalThis.autoconsentStandalone?.messages ?? []).map(({ type }) => type)
  return said.includes('autoconsentDone') || said.includes('autoconsentError') ? 'done'
    : said.includes('popupFound') ? 'found' : 'looking'
})()`

/** Milliseconds for a banner to be found, and to be dismissed once it is. */
const findMs = 1200
const dismissMs = 4000

/** Says no for the reader to a banner that asks for consent to cookies, in every frame. False: it knows none of this kind. */
export async function dismissConsent(tab: Tab, script: () => Promise<string>): Promise<boolean> {
  const source = await script()
  const worlds: { readonly contextId: unknown; readonly session: string }[] = []
  for (const { frameId, session } of await listFrames(tab)) {
    // A frame may go at any moment: the others still matter.
    const made = await tab.call('Page.createIsolatedWorld', { frameId }, session).catch(() => undefined)
    if (made !== undefined) worlds.push({ contextId: made['executionContextId'], session })
  }
  const run = async (expression: string): Promise<readonly unknown[]> =>
    Promise.all([
      evaluateIn(tab, expression, undefined, tab.sessionId),
      ...worlds.map(async ({ contextId, session }) => evaluateIn(tab, expression, contextId, session)),
    ])
  await run(`${source}\n;undefined`)
  const startMs = performance.now()
  for (;;) {
    const states = await run(progress)
    if (states.includes('done')) return true
    const waitMs = states.includes('found') ? dismissMs : findMs
    if (performance.now() - startMs > waitMs) return false
    await sleep(50, undefined, { signal: tab.signal })
  }
}

async function evaluateIn(tab: Tab, expression: string, contextId: unknown, session: string): Promise<unknown> {
  const parameters = { expression, returnByValue: true, ...(contextId === undefined ? {} : { contextId }) }
  const answer = await tab.call('Runtime.evaluate', parameters, session).catch(() => undefined)
  return (answer?.['result'] as { readonly value?: unknown } | undefined)?.value
}

/** Makes a reader of the script that knows how banners are dismissed. It is read once. The reader throws PACKAGE_MISSING. */
export function createConsentScript(): () => Promise<string> {
  let source: Promise<string> | undefined
  return async () => (source ??= readScript())
}

async function readScript(): Promise<string> {
  const name = '@duckduckgo/autoconsent'
  const address = await loadOptional(name, 'the rejection of cookies', async () => import.meta.resolve(name))
  return readFile(fileURLToPath(new URL('autoconsent.standalone.js', address)), 'utf8')
}
