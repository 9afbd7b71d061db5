/** A condition of a query. */
export interface Clause {
  /** `text`: a word in any form. `phrase`: exact words. Others: where the value has to occur. */
  readonly kind: 'text' | 'phrase' | 'site' | 'inurl' | 'intitle' | 'related' | 'filetype'
  readonly value: string
  readonly isExcluded: boolean
  /** Conditions joined to this one by `OR`. */
  readonly alternatives?: readonly Clause[] | undefined
  /** Set if the `OR` before it cannot be applied, so that both conditions must match. */
  readonly ignoresOr?: true
}

const operator = /^(site|inurl|allinurl|intitle|allintitle|related|filetype|ext):/i
const token = /(-?)(?:((?:site|inurl|allinurl|intitle|allintitle|related|filetype|ext):)\s*)?(?:"([^"]*)"?|(\S+))/gi

/**
 * Parses a query of words and `"phrases"`, each optionally prefixed with `-`, `site:`, `inurl:`,
 * `allinurl:`, `intitle:`, `allintitle:`, `related:`, `filetype:` or `ext:`. `OR` joins words and
 * phrases, sites, or file types.
 */
export function parseQuery(query: string): readonly Clause[] {
  const clauses: Clause[] = []
  let all: 'inurl' | 'intitle' | undefined
  let isAlternative = false
  const add = (clause: Clause): void => {
    const last = isAlternative ? clauses.at(-1) : undefined
    isAlternative = false
    if (last === undefined) clauses.push(clause)
    else if (!canJoin(last, clause)) clauses.push({ ...clause, ignoresOr: true })
    else clauses[clauses.length - 1] = { ...last, alternatives: [...(last.alternatives ?? []), clause] }
  }
  for (const [whole, minus = '', prefix = '', quoted, bare = ''] of query.matchAll(token)) {
    // A single minus excludes nothing.
    if (whole === '-') continue
    if (whole === 'OR' && clauses.length > 0) {
      isAlternative = true
      continue
    }
    const isExcluded = minus === '-'
    const name = prefix.slice(0, -1).toLowerCase()
    const value = (quoted ?? bare).trim()
    if (value === '' || operator.test(value)) continue
    if (name === '' && all !== undefined && !isExcluded) {
      add({ kind: all, value, isExcluded })
      continue
    }
    all = name === 'allinurl' ? 'inurl' : name === 'allintitle' ? 'intitle' : undefined
    add({ kind: all ?? kindOf(name, quoted !== undefined), value: valueOf(name, value), isExcluded })
    if (isExcluded) all = undefined
  }
  return clauses
}

/** Whether `OR` can join two clauses: words and phrases, sites, or file types. */
function canJoin(left: Clause, right: Clause): boolean {
  if (left.isExcluded || right.isExcluded) return false
  return (isText(left) && isText(right)) || (left.kind === right.kind && /^(?:site|filetype)$/.test(left.kind))
}

function isText({ kind }: Clause): boolean {
  return kind === 'text' || kind === 'phrase'
}

function kindOf(name: string, isQuoted: boolean): Clause['kind'] {
  if (name === 'filetype' || name === 'ext') return 'filetype'
  if (name === 'site' || name === 'inurl' || name === 'intitle' || name === 'related') return name
  return isQuoted ? 'phrase' : 'text'
}

/** Normalizes the value of an operator. Sites may be given with or without a scheme. */
function valueOf(name: string, value: string): string {
  if (name === 'filetype' || name === 'ext') return value.toLowerCase().replace(/^\./, '')
  if (name !== 'site' && name !== 'related') return value
  return value
    .toLowerCase()
    .replace(/^(?:https?:\/\/)?(?:\*?\.)?/, '')
    .replace(/\/$/, '')
}

/** Formats clauses as a query. */
export function writeQuery(clauses: readonly Clause[]): string {
  return clauses.map((clause) => [clause, ...(clause.alternatives ?? [])].map(writeClause).join(' OR ')).join(' ')
}

function writeClause({ kind, value, isExcluded }: Clause): string {
  const text = /\s/.test(value) || kind === 'phrase' ? `"${value}"` : value
  return `${isExcluded ? '-' : ''}${kind === 'text' || kind === 'phrase' ? '' : `${kind}:`}${text}`
}
