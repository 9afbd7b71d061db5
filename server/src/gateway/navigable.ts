/** URL schemes a client may navigate to. `about:` only as `about:blank`. */
const navigable = new Set(['http:', 'https:', 'data:', 'blob:'])

/** Links for other programs. Web pages can follow them too, and they load no page. */
const external = /^(?:mailto|sms|tel):/i

/** Whether a client may open a URL in a page. */
export function isNavigable(url: string): boolean {
  // Chromium also accepts hosts with a space, which can be escaped. On other invalid URLs,
  // `Target.createTarget` ends the headless shell.
  if (!URL.canParse(url)) return /^https?:/i.test(url) && URL.canParse(url.replaceAll(/ |%20/g, '-'))
  const { protocol, pathname } = new URL(url)
  return navigable.has(protocol) || (protocol === 'about:' && pathname === 'blank')
}

/** Whether a URL is for another program. Chromium aborts its navigation. */
export function isExternal(url: string): boolean {
  return external.test(url)
}
