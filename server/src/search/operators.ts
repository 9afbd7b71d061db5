import type { Clause } from './parse-query.ts'
import type { ProviderQuery } from './provider.ts'

/** Maximum number of excluded sites in a query. Services cut off long queries. */
const maxExcluded = 8

/** Maximum characters of the sites in a query that are joined by `OR`. */
const maxJoined = 300

/**
 * Returns the clauses of a query, plus operators for its domains and categories where possible.
 * Without `joinsSites`, omits operators that would join several sites.
 */
export function operatorsOf(
  { clauses, includeDomains, excludeDomains, categories }: ProviderQuery,
  { joinsSites = true }: { readonly joinsSites?: boolean } = {},
): readonly Clause[] {
  const site = (value: string, isExcluded: boolean): Clause => ({ kind: 'site', value, isExcluded })
  const [category, ...further] = categories
  // `keepMatching` filters the results of several categories, which operators cannot describe.
  const sites = further.length === 0 ? (category?.domains ?? []) : []
  return [
    ...clauses,
    ...[includeDomains, sites]
      .filter((each) => joinsSites || each.length === 1)
      .flatMap((each) => anyOf(each.map((domain) => site(domain, false)))),
    ...(further.length === 0 && category?.isPdf === true
      ? [{ kind: 'filetype', value: 'pdf', isExcluded: false } as const]
      : []),
    ...excludeDomains.slice(0, maxExcluded).map((domain) => site(domain, true)),
  ]
}

/** Joins clauses with `OR`, up to `maxJoined` characters. */
function anyOf(clauses: readonly Clause[]): readonly Clause[] {
  let length = 0
  const [first, ...alternatives] = clauses.filter(({ value }) => (length += value.length) <= maxJoined)
  return first === undefined ? [] : [alternatives.length === 0 ? first : { ...first, alternatives }]
}

/**
 * Replaces operators that a service does not support by words. `keepMatching` applies them later.
 */
export function withoutOperators(clauses: readonly Clause[], lacking: ReadonlySet<Clause['kind']>): readonly Clause[] {
  return clauses.flatMap((clause) => {
    if (!lacking.has(clause.kind)) return [clause]
    if (clause.isExcluded) return []
    // The name of a site without its top-level domain.
    const value = clause.kind === 'related' ? clause.value.replace(/\.[^.]+$/, '') : clause.value
    return [{ ...clause, kind: 'text' as const, value }]
  })
}
