import type { Protocol } from './protocol.ts'
import type { CdpRouter } from './router.ts'
import { attachToBrowser, type CdpSession } from './targets.ts'

/** Headers by name. */
export type Headers = Readonly<Record<string, string>>

/** The headers of one rule, and the origins that they are for, such as `https://example.com`. */
export interface HeaderRule {
  readonly matches: (origin: string) => boolean
  readonly headers: Headers
}

/**
 * Adds headers to requests of a browser, behind the interception of clients. A redirect to another
 * URL loses them. Existing headers of a request take precedence. Resolves when it is active,
 * for the rest of the browser's life. Rejects with CDP_FAILED.
 */
export async function addExtraHeaders(router: CdpRouter, rules: readonly HeaderRule[]): Promise<void> {
  const browser = await attachToBrowser(router)
  browser.onEvent(({ method, params }) => {
    // Fails if the request is gone, such as that of a closed tab.
    if (method === 'Fetch.requestPaused') continueWith(browser, rules, params).catch(() => undefined)
  })
  await browser.call('Fetch.enable', { patterns: [{}] })
}

async function continueWith(
  browser: CdpSession,
  rules: readonly HeaderRule[],
  { requestId, request, redirectedRequestId }: Protocol.Fetch.RequestPausedEvent,
): Promise<void> {
  const headers = adaptHeaders(rules, request, redirectedRequestId !== undefined)
  const entries = headers && Object.entries(headers).map(([name, value]) => ({ name, value }))
  await browser.call('Fetch.continueRequest', {
    requestId,
    ...(entries === undefined ? {} : { headers: entries }),
    // Chromium repeats `Referer` after a redirect unless it is emptied and the URL is set.
    ...(headers?.['Referer'] === '' && redirectedRequestId !== undefined ? { url: request.url } : {}),
  })
}

/**
 * Returns the headers of a request with those of the rules. Removes what a rule for other URLs has
 * added before a redirect; a `Referer` is emptied. Undefined if nothing changes.
 */
export function adaptHeaders(
  rules: readonly HeaderRule[],
  { url, headers }: { readonly url: string; readonly headers: Headers },
  isRedirected: boolean,
): Headers | undefined {
  const origin = originOf(url)
  const matching = rules.filter(({ matches }) => matches(origin))
  const others = isRedirected ? rules.filter((rule) => !matching.includes(rule)) : []
  const added = new Set(others.flatMap((rule) => Object.entries(rule.headers).map(keyOf)))
  const kept = Object.entries(headers).filter((entry) => !added.has(keyOf(entry)))
  const result = new Map(kept.map((entry) => [entry[0].toLowerCase(), entry]))
  for (const rule of matching) {
    for (const entry of Object.entries(rule.headers)) {
      const name = entry[0].toLowerCase()
      if (!result.has(name)) result.set(name, entry)
    }
  }
  const hasLostReferer = 'Referer' in headers && !result.has('referer')
  if (hasLostReferer) result.set('referer', ['Referer', ''])
  const hasChanged = hasLostReferer || kept.length < Object.keys(headers).length || result.size > kept.length
  return hasChanged ? Object.fromEntries(result.values()) : undefined
}

/** A page may request URLs of 2 MB. Parsing one for each of 50 rules took up to 680 ms. */
function originOf(text: string): string {
  const url = URL.parse(text)
  return url === null ? '' : `${url.protocol}//${url.host}`
}

function keyOf([name, value]: readonly [string, string]): string {
  return `${name.toLowerCase()}:${value}`
}
