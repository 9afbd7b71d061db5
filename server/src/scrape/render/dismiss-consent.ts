import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { sleep } from 'bowline/kit/sleep'
import type { CdpCall } from '../../cdp/protocol.ts'
import { loadOptional } from '../../kit/optional-package.ts'
import { listFrames } from './frames.ts'
import type { Tab } from './tab.ts'

/**
 * Whether the page shows a consent banner: an overlay that mentions cookies, or a visible element
 * that is named like a banner. A link to the cookie policy does not count. Runs in the page.
 */
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

/** Progress of the autoconsent script in one frame. Runs in the page. */
const progress = `(() => {
  const types = (globalThis.autoconsentStandalone?.messages ?? []).map(({ type }) => type)
  return types.includes('autoconsentDone') || types.includes('autoconsentError') ? 'done'
    : types.includes('popupFound') ? 'found' : 'looking'
})()`

/** Time limits for finding a banner and, once it is found, for dismissing it, in milliseconds. */
const findMs = 1200
const dismissMs = 4000

/**
 * Rejects cookies in a consent banner, in any frame. Resolves to false if the script does not
 * recognize the banner.
 */
export async function dismissConsent(tab: Tab, script: () => Promise<string>): Promise<boolean> {
  const source = await script()
  const isolated: { readonly contextId: number; readonly call: CdpCall }[] = []
  for (const { frameId, call } of await listFrames(tab)) {
    // A frame may disappear at any moment. Continue with the others.
    const created = await call('Page.createIsolatedWorld', { frameId }).catch(() => undefined)
    if (created !== undefined) isolated.push({ contextId: created.executionContextId, call })
  }
  const run = async (expression: string): Promise<readonly unknown[]> =>
    Promise.all([
      evaluateIn(tab.call, expression, undefined),
      ...isolated.map(async ({ contextId, call }) => evaluateIn(call, expression, contextId)),
    ])
  await run(`${source}\n;undefined`)
  const startMs = performance.now()
  for (;;) {
    const states = await run(progress)
    if (states.includes('done')) return true
    const waitMs = states.includes('found') ? dismissMs : findMs
    if (performance.now() - startMs > waitMs) return false
    await sleep(50, tab.signal)
  }
}

async function evaluateIn(call: CdpCall, expression: string, contextId: number | undefined): Promise<unknown> {
  // The frame may have navigated, which destroys the context.
  const response = await call('Runtime.evaluate', { expression, contextId }).catch(() => undefined)
  return response?.result.value as unknown
}

/** Returns a function that loads the autoconsent script once. It throws PACKAGE_MISSING. */
export function createConsentScript(): () => Promise<string> {
  let source: Promise<string> | undefined
  return async () => (source ??= readScript())
}

async function readScript(): Promise<string> {
  const name = '@duckduckgo/autoconsent'
  const url = await loadOptional(name, 'cookie rejection', async () => import.meta.resolve(name))
  return readFile(fileURLToPath(new URL('autoconsent.standalone.js', url)), 'utf8')
}
