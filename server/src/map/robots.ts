/** A parsed robots.txt. */
export interface Robots {
  /** URLs of sitemaps, as written. */
  readonly sitemaps: readonly string[]
  /** Sentences about ignored rules and sitemaps, without their subject. */
  readonly warnings: readonly string[]
  /** Returns whether a URL may be fetched. */
  readonly allows: (url: URL) => boolean
}

const maxSitemaps = 100
const maxRules = 5000
const maxPathLength = 2048

/**
 * Maximum cost of one URL, in characters compared: the length of all rules with wildcards times the
 * length of the path.
 */
const maxComparisons = 20_000_000
/**
 * Minimum number of characters of a path that are compared, regardless of the number of rules with
 * wildcards.
 */
const minPathLength = 100

interface Rule {
  readonly allows: boolean
  readonly pattern: string
}

/** A compiled rule: the beginning of the path, the parts between wildcards, and the end. */
interface Matcher {
  readonly allows: boolean
  readonly first: string
  readonly rest: readonly string[]
  /** `undefined` if anything may follow. */
  readonly last: string | undefined
  /** Whether the path must equal `first`. */
  readonly isExact: boolean
}

/**
 * Parses a robots.txt (RFC 9309): the groups of `agent`, else those of `*`. The longest matching
 * pattern wins; of equal ones, `allow`. Matching a URL takes bounded time, regardless of the
 * patterns.
 */
export function parseRobots(text: string, agent: string): Robots {
  const sitemaps: string[] = []
  const warnings = new Set<string>()
  const own = agent.toLowerCase()
  const groups = new Map<string, Rule[]>()
  let agents: string[] = []
  let isReadingAgents = false
  for (const line of text.split(/[\r\n]+/)) {
    const [, rawKey = '', rawValue = ''] = /^\s*([\w-]+)\s*:\s*([^#]*)/.exec(line) ?? []
    const key = rawKey.toLowerCase()
    const value = rawValue.trim()
    if (key === 'sitemap') {
      if (sitemaps.length >= maxSitemaps) warnings.add(tooManySitemaps)
      else if (value !== '') sitemaps.push(sitemapOf(line))
      continue
    }
    if (key === 'user-agent') {
      if (!isReadingAgents) agents = []
      isReadingAgents = true
      // Some sites add a version, such as `Bot/2.1`.
      const [agentName = ''] = value.split('/', 1)
      const name = agentName.trimEnd().toLowerCase()
      // Rules of other agents are skipped: thousands of agents times thousands of rules would
      // exhaust memory.
      if ((name === own || name === '*') && !agents.includes(name)) agents.push(name)
      continue
    }
    if (key !== 'allow' && key !== 'disallow') continue
    isReadingAgents = false
    for (const name of agents) addRule(groups, name, { rule: { allows: key === 'allow', pattern: value }, warnings })
  }
  const rules = groups.get(own) ?? groups.get('*') ?? []
  const matchers = toMatchers(rules)
  const pathLength = pathLengthFor(rules)
  return {
    sitemaps,
    warnings: [...warnings],
    allows: (url) =>
      isAllowed(matchers, encodeWildcards(normalizePath(`${url.pathname}${url.search}`)).slice(0, pathLength)),
  }
}

// URLs may contain `#`, which starts a comment only after a space here.
function sitemapOf(line: string): string {
  const text = line.slice(line.indexOf(':') + 1)
  return text.replace(/\s#.*$/s, '').trim()
}

const tooManySitemaps = `names more than ${maxSitemaps} sitemaps: the rest was omitted.`
const tooManyRules = `has more than ${maxRules} rules: the rest was omitted.`
const tooLongRules = `has rules longer than ${maxPathLength} characters: they were omitted.`

function addRule(
  groups: Map<string, Rule[]>,
  name: string,
  { rule, warnings }: { readonly rule: Rule; readonly warnings: Set<string> },
): void {
  const rules = groups.get(name) ?? []
  groups.set(name, rules)
  if (rule.pattern === '') return
  // Percent-encoding makes it longer.
  const pattern = rule.pattern.length > maxPathLength ? rule.pattern : normalizePath(rule.pattern)
  if (pattern.length > maxPathLength) warnings.add(tooLongRules)
  else if (rules.length >= maxRules) warnings.add(tooManyRules)
  else rules.push({ ...rule, pattern })
}

/**
 * Writes equal paths the same way (RFC 9309, 2.2.2): percent-encoded UTF-8 in upper case, but
 * letters, digits and `-._~` unencoded. Leaves reserved characters, `*` and `$` unchanged.
 */
function normalizePath(path: string): string {
  return path
    .toWellFormed()
    .replaceAll(/[^\w\-.~:/?#[\]@!$&'()*+,;=%]+/g, (characters) => encodeURIComponent(characters))
    .replaceAll(/%[\da-f]{2}/gi, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16))
      return /[\w\-.~]/.test(character) ? character : code.toUpperCase()
    })
}

/** Encodes the characters that have a meaning in rules. */
function encodeWildcards(path: string): string {
  return path.replaceAll('*', '%2A').replaceAll('$', '%24')
}

/** Sorts the rules so that the first match decides. */
function toMatchers(rules: readonly Rule[]): readonly Matcher[] {
  return rules
    .toSorted((one, other) => other.pattern.length - one.pattern.length || Number(other.allows) - Number(one.allows))
    .map(({ allows, pattern }) => {
      const isAnchored = pattern.endsWith('$')
      const [first = '', ...rest] = (isAnchored ? pattern.slice(0, -1) : pattern).split('*').map(encodeWildcards)
      const isExact = isAnchored && rest.length === 0
      return { allows, first, last: isAnchored ? rest.pop() : undefined, rest, isExact }
    })
}

/**
 * Returns how many characters of a path are compared with these rules. Only floods of rules with
 * wildcards reduce it.
 */
function pathLengthFor(rules: readonly Rule[]): number {
  const wildcardLength = rules.reduce((sum, { pattern }) => (pattern.includes('*') ? sum + pattern.length : sum), 0)
  return Math.max(minPathLength, Math.min(maxPathLength, Math.floor(maxComparisons / Math.max(1, wildcardLength))))
}

function isAllowed(matchers: readonly Matcher[], path: string): boolean {
  return matchers.find((matcher) => matches(matcher, path))?.allows ?? true
}

function matches({ first, rest, last, isExact }: Matcher, path: string): boolean {
  if (!path.startsWith(first)) return false
  if (isExact) return path.length === first.length
  let at = first.length
  // Matching each part at its first position leaves the most room for the rest, so no backtracking
  // is needed.
  for (const part of rest) {
    const found = path.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return last === undefined || (path.length - last.length >= at && path.endsWith(last))
}
