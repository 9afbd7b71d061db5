/** What a robots.txt says to us. */
export interface Robots {
  /** Addresses of sitemaps, as written. */
  readonly sitemaps: readonly string[]
  /** What was left out, as sentences. */
  readonly cuts: readonly string[]
  /** Whether pages at this address may be fetched. */
  readonly allows: (url: URL) => boolean
}

/** Bytes of a robots.txt that count (RFC 9309 asks for at least 500 KiB). */
export const maxRobotsBytes = 512_000

const maxSitemaps = 100
const maxRules = 5000
const maxPathLength = 2048

/** Rules with stars times the path they are looked for in: what one address may cost, in characters compared. */
const maxComparisons = 20_000_000
/** Characters of a path that count, however many such rules there are. */
const minPathLength = 100

interface Rule {
  readonly allows: boolean
  readonly pattern: string
}

/** A rule as it is matched: what the path begins with, the parts after the stars, and what it ends with. */
interface Matcher {
  readonly allows: boolean
  readonly first: string
  readonly rest: readonly string[]
  /** Undefined: anything may follow. */
  readonly last: string | undefined
  /** Whether the path is `first` and nothing more. */
  readonly isExact: boolean
}

/**
 * Reads a robots.txt (RFC 9309): the groups of `agent`, else those of `*`; the longest pattern wins, and of equal ones the
 * one that allows. Matching an address takes bounded time, whatever the patterns hold.
 */
export function parseRobots(text: string, agent: string): Robots {
  const sitemaps: string[] = []
  const cuts = new Set<string>()
  const own = agent.toLowerCase()
  const groups = new Map<string, Rule[]>()
  let named: string[] = []
  let isNaming = false
  for (const line of text.split(/[\r\n]+/)) {
    const [, rawKey = '', rawValue = ''] = /^\s*([\w-]+)\s*:\s*([^#]*)/.exec(line) ?? []
    const key = rawKey.toLowerCase()
    const value = rawValue.trim()
    if (key === 'sitemap') {
      if (sitemaps.length >= maxSitemaps) cuts.add(manySitemaps)
      else if (value !== '') sitemaps.push(sitemapOf(line))
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
    for (const name of named) addRule(groups, name, { rule: { allows: key === 'allow', pattern: value }, cuts })
  }
  const rules = groups.get(own) ?? groups.get('*') ?? []
  const matchers = toMatchers(rules)
  const pathLength = pathLengthFor(rules)
  return {
    sitemaps,
    cuts: [...cuts],
    allows: (url) => isAllowed(matchers, `${url.pathname}${url.search}`.slice(0, pathLength)),
  }
}

// Addresses may hold `#`, which elsewhere starts a comment.
function sitemapOf(line: string): string {
  return line.slice(line.indexOf(':') + 1).trim()
}

const manySitemaps = `The robots.txt names more than ${maxSitemaps} sitemaps: the rest was left out.`
const manyRules = `The robots.txt has more than ${maxRules} rules: the rest was left out.`
const longRules = `The robots.txt has rules longer than ${maxPathLength} characters: they were left out.`

function addRule(
  groups: Map<string, Rule[]>,
  name: string,
  { rule, cuts }: { readonly rule: Rule; readonly cuts: Set<string> },
): void {
  const rules = groups.get(name) ?? []
  groups.set(name, rules)
  if (rule.pattern === '') return
  if (rule.pattern.length > maxPathLength) cuts.add(longRules)
  else if (rules.length >= maxRules) cuts.add(manyRules)
  else rules.push(rule)
}

/** The rules in the order in which they win: the first that matches is the one that counts. */
function toMatchers(rules: readonly Rule[]): readonly Matcher[] {
  return rules
    .toSorted((one, other) => other.pattern.length - one.pattern.length || Number(other.allows) - Number(one.allows))
    .map(({ allows, pattern }) => {
      const isWhole = pattern.endsWith('$')
      const [first = '', ...rest] = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
      const isExact = isWhole && rest.length === 0
      return { allows, first, last: isWhole ? rest.pop() : undefined, rest, isExact }
    })
}

/** How much of a path is compared with these rules. Only floods of rules with stars leave less than all of it. */
function pathLengthFor(rules: readonly Rule[]): number {
  const starred = rules.reduce((sum, { pattern }) => (pattern.includes('*') ? sum + pattern.length : sum), 0)
  return Math.max(minPathLength, Math.min(maxPathLength, Math.floor(maxComparisons / Math.max(1, starred))))
}

function isAllowed(matchers: readonly Matcher[], path: string): boolean {
  return matchers.find((matcher) => matches(matcher, path))?.allows ?? true
}

function matches({ first, rest, last, isExact }: Matcher, path: string): boolean {
  if (!path.startsWith(first)) return false
  if (isExact) return path.length === first.length
  let at = first.length
  // Taking each part at its first place leaves the most room for the others, so nothing need be tried twice.
  for (const part of rest) {
    const found = path.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return last === undefined || (path.length - last.length >= at && path.endsWith(last))
}
