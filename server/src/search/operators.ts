import type { Clause } from './parse-query.ts'
import type { ProviderQuery } from './provider.ts'

/** Maximum number of excluded sites in a query. Services cut off long queries. */
const maxSites = 8

/** The clauses of a query, plus operators for its domains and categories where possible. */
export function operatorsOf({ clauses, includeDomains, excludeDomains, categories }: ProviderQuery): readonly Clause[] {
  const site = (value: string, isExcluded: boolean): Clause => ({ kind: 'site', value, isExcluded })
  const [only, ...others] = includeDomains
  const [category, ...further] = categories
  const sites = categories.flatMap(({ domains }) => domains)
  return [
    ...clauses,
    // Not every service supports OR for several sites. `keepMatching` filters their results instead.
    ...(only !== undefined && others.length === 0 ? [site(only, false)] : []),
    ...(further.length === 0 && sites.length === 1 ? sites.map((domain) => site(domain, false)) : []),
    ...(further.length === 0 && category?.isPdf === true
      ? [{ kind: 'filetype', value: 'pdf', isExcluded: false } as const]
      : []),
    ...excludeDomains.slice(0, maxSites).map((domain) => site(domain, true)),
  ]
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
