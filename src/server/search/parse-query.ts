/** One condition of a query. */
export interface Clause {
  /** `text`: the word, in any form; `phrase`: these very words; the others: where a value has to be found. */
  readonly kind: 'text' | 'phrase' | 'site' | 'inurl' | 'intitle' | 'related'
  readonly value: string
  readonly isExcluded: boolean
}

const operator = /^(site|inurl|allinurl|intitle|allintitle|related):/i
const token = /(-?)(?:((?:site|inurl|allinurl|intitle|allintitle|related):)\s*)?(?:"([^"]*)"?|(\S+))/gi

/** Reads a query: words, `"…"`, and `-`, `site:`, `inurl:`, `allinurl:`, `intitle:`, `allintitle:`, `related:` before either. */
export const parseQuery = (query: string): readonly Clause[] => {
  const clauses: Clause[] = []
  let all: 'inurl' | 'intitle' | undefined
  for (const [whole, minus = '', prefix = '', quoted, bare = ''] of query.matchAll(token)) {
    // A minus alone, or one inside a word, excludes nothing.
    if (whole === '-') continue
    const isExcluded = minus === '-'
    const name = prefix.slice(0, -1).toLowerCase()
    const value = (quoted ?? bare).trim()
    if (value === '' || operator.test(value)) continue
    if (name === '' && all !== undefined && !isExcluded) {
      clauses.push({ kind: all, value, isExcluded })
      continue
    }
    all = name === 'allinurl' ? 'inurl' : name === 'allintitle' ? 'intitle' : undefined
    clauses.push({ kind: all ?? kindOf(name, quoted !== undefined), value: valueOf(name, value), isExcluded })
    if (isExcluded) all = undefined
  }
  return clauses
}

const kindOf = (name: string, isQuoted: boolean): Clause['kind'] => {
  if (name === 'site' || name === 'inurl' || name === 'intitle' || name === 'related') return name
  return isQuoted ? 'phrase' : 'text'
}

/** A site is written with or without its scheme. */
const valueOf = (name: string, value: string): string => {
  if (name !== 'site' && name !== 'related') return value
  return value
    .toLowerCase()
    .replace(/^(?:https?:\/\/)?(?:\*?\.)?/, '')
    .replace(/\/$/, '')
}

/** Writes a query in the same language again. */
export const writeQuery = (clauses: readonly Clause[]): string =>
  clauses
    .map(({ kind, value, isExcluded }) => {
      const text = /\s/.test(value) || kind === 'phrase' ? `"${value}"` : value
      return `${isExcluded ? '-' : ''}${kind === 'text' || kind === 'phrase' ? '' : `${kind}:`}${text}`
    })
    .join(' ')
