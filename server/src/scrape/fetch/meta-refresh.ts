/** Longest delay in seconds that counts as a redirect rather than as a page that renews itself. */
const maxDelaySeconds = 5

const searchedLength = 20_000

/** Where a page sends its reader by `<meta http-equiv="refresh">`; undefined when it does not, or only after a while. */
export function metaRefreshTarget(html: string, base: string): string | undefined {
  const head = withoutHidden(html.slice(0, searchedLength))
  for (const [tag] of head.matchAll(/<meta\b[^>]{0,2000}>/gi)) {
    if (!/http-equiv\s*=\s*["']?refresh\b/i.test(tag)) continue
    const content = /content\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(tag)
    const text = content?.[1] ?? content?.[2] ?? content?.[3] ?? ''
    const [, delay = '', target = ''] = /^\s*([\d.]+)\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(text) ?? []
    if (delay === '' || Number(delay) > maxDelaySeconds) continue
    const url = URL.parse(target.trim().replaceAll('&amp;', '&'), base)
    if (url !== null && /^https?:$/.test(url.protocol) && url.href !== base) return url.href
  }
  return undefined
}

/** HTML without comments and `<noscript>`. An end that is not there is looked for once: there may be thousands of starts. */
function withoutHidden(html: string): string {
  const ends = { '<!--': /-->/g, '<noscript': /<\/noscript>/gi }
  const endless = new Set<string>()
  const parts: string[] = []
  let at = 0
  for (const { 0: start, index } of html.matchAll(/<!--|<noscript\b/gi)) {
    const name = start.toLowerCase() as keyof typeof ends
    if (index < at || endless.has(name)) continue
    const end = ends[name]
    end.lastIndex = index + start.length
    if (end.test(html)) {
      parts.push(html.slice(at, index))
      at = end.lastIndex
    } else endless.add(name)
  }
  parts.push(html.slice(at))
  return parts.join('')
}
