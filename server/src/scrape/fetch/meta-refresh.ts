/**
 * Returns the target of `<meta http-equiv="refresh">`, or undefined if there is none or its delay
 * is over 5 seconds.
 */
export function metaRefreshTarget(html: string, base: string): string | undefined {
  const head = removeHidden(html.slice(0, searchedLength))
  for (const [tag] of head.matchAll(/<meta\b[^>]{0,2000}>/gi)) {
    if (!/http-equiv\s*=\s*["']?refresh\b/i.test(tag)) continue
    const content = /content\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(tag)
    const text = content?.[1] ?? content?.[2] ?? content?.[3] ?? ''
    const target = refreshTarget(text.replaceAll('&amp;', '&'), base)
    if (target !== undefined) return target
  }
  return undefined
}

/**
 * Returns the target of a `Refresh` header such as `0; url=/next`, or undefined if there is none or
 * its delay is over 5 seconds.
 */
export function refreshTarget(value: string, base: string): string | undefined {
  const [, delay = '', target = ''] = /^\s*([\d.]+)\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(value) ?? []
  if (delay === '' || Number(delay) > maxDelaySeconds) return undefined
  const url = URL.parse(target.trim(), base)
  return url !== null && /^https?:$/.test(url.protocol) && url.href !== base ? url.href : undefined
}

/** Longer delays belong to pages that reload themselves. */
const maxDelaySeconds = 5

/** Number of characters at the start of a page that are searched. */
const searchedLength = 20_000

/**
 * Removes comments and `<noscript>`. A missing end tag is searched for only once, since a hostile
 * page may have thousands of start tags.
 */
function removeHidden(html: string): string {
  const ends = { '<!--': /-->/g, '<noscript': /<\/noscript>/gi }
  const unclosed = new Set<string>()
  const parts: string[] = []
  let at = 0
  for (const { 0: start, index } of html.matchAll(/<!--|<noscript\b/gi)) {
    const name = start.toLowerCase() as keyof typeof ends
    if (index < at || unclosed.has(name)) continue
    const end = ends[name]
    end.lastIndex = index + start.length
    if (end.test(html)) {
      parts.push(html.slice(at, index))
      at = end.lastIndex
    } else unclosed.add(name)
  }
  parts.push(html.slice(at))
  return parts.join('')
}
