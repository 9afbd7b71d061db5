import { parseChromiumUrl } from '../kit/parse-chromium-url.ts'

/** URL schemes a client may navigate to. `about:` only as `about:blank`. */
const navigable = new Set(['http:', 'https:', 'data:', 'blob:'])

/** Links for other programs. Web pages can follow them too, and they load no page. */
const external = /^(?:mailto|sms|tel):/i

/** Whether a client may open a URL in a page. */
export function isNavigable(url: string): boolean {
  const parsed = parseChromiumUrl(url)
  // `Target.createTarget` with an invalid URL ends the headless shell.
  if (parsed === null) return false
  const { protocol, pathname } = parsed
  return navigable.has(protocol) || (protocol === 'about:' && pathname === 'blank')
}

/** Whether a URL is for another program. Chromium aborts its navigation. */
export function isExternal(url: string): boolean {
  return external.test(url)
}
