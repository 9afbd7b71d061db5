/** What a robots.txt says to us. */
export interface Robots {
  /** Addresses of sitemaps, as written. */
  readonly sitemaps: readonly string[]
  /** Whether pages at this address may be fetched. */
  readonly allows: (url: URL) => boolean
}

/** Bytes of a robots.txt that count (RFC 9309 asks for at least 500 KiB). */
export const maxRobotsBytes = 512_000

const maxSitemaps = 100
const maxRules = 5000
const maxPathLength = 2048

interface Rule {
  readonly allows: boolean
  readonly pattern: string
}

/**
 * Reads a robots.txt (RFC 9309): the groups of `agent`, else those of `*`; the longest pattern wins, and of equal ones the
 * one that allows. Matching takes time in proportion to rules times path, whatever the patterns hold.
 */
export const parseRobots = (text: string, agent: string): Robots => {
  const sitemaps: string[] = []
  const own = agent.toLowerCase()
  const groups = new Map<string, Rule[]>()
  let named: string[] = []
  let isNaming = false
  for (const line of text.split(/[\r\n]+/)) {
    const [, rawKey = '', rawValue = ''] = /^\s*([\w-]+)\s*:\s*([^#]*)/.exec(line) ?? []
    const key = rawKey.toLowerCase()
    const value = rawValue.trim()
    if (key === 'sitemap') {
      if (sitemaps.length < maxSitemaps && value !== '') sitemaps.push(sitemapOf(line))
      continue
    }
    if (key === 'user-agent') {
      if (!isNaming) named = []
      isNaming = true
      const name = value.toLowerCase()
      // Rules for others are not kept: thousands of names times thousands of rules would take all memory.
      if ((name === own || name === '*') && !named.includes(name)) named.push(name)
      continue
    }
    if (key !== 'allow' && key !== 'disallow') continue
    isNaming = false
    for (const name of named) addRule(groups, name, { allows: key === 'allow', pattern: value })
  }
  const rules = groups.get(own) ?? groups.get('*') ?? []
  return { sitemaps, allows: (url) => isAllowed(rules, url) }
}

// Addresses may hold `#`, which elsewhere starts a comment.
const sitemapOf = (line: string): string => line.slice(line.indexOf(':') + 1).trim()

const addRule = (groups: Map<string, Rule[]>, name: string, rule: Rule): void => {
  const rules = groups.get(name) ?? []
  groups.set(name, rules)
  if (rule.pattern !== '' && rule.pattern.length <= maxPathLength && rules.length < maxRules) rules.push(rule)
}

const isAllowed = (rules: readonly Rule[], url: URL): boolean => {
  const path = `${url.pathname}${url.search}`.slice(0, maxPathLength)
  let best: Rule | undefined
  for (const rule of rules) {
    const isLonger = best === undefined || rule.pattern.length > best.pattern.length
    const isKinder = rule.pattern.length === best?.pattern.length && rule.allows
    if ((isLonger || isKinder) && matches(rule.pattern, path)) best = rule
  }
  return best?.allows ?? true
}

const matches = (pattern: string, path: string): boolean => {
  const isWhole = pattern.endsWith('$')
  const [first = '', ...rest] = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
  if (!path.startsWith(first)) return false
  const last = isWhole ? rest.pop() : undefined
  let at = first.length
  // Taking each part at its first place leaves the most room for the others, so nothing need be tried twice.
  for (const part of rest) {
    const found = path.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  if (!isWhole) return true
  return last === undefined ? at === path.length : path.length - last.length >= at && path.endsWith(last)
}
