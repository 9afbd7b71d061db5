import type { Clause } from './parse-query.ts'
import type { SearchWish } from './provider.ts'

/** Most sites that are written into a query: services cut long ones. */
const maxSites = 8

/** The clauses of a wish, with its domains and categories put as operators where they can be. */
export function operatorsOf({ clauses, includeDomains, excludeDomains, categories }: SearchWish): readonly Clause[] {
  const site = (value: string, isExcluded: boolean): Clause => ({ kind: 'site', value, isExcluded })
  const [only, ...others] = includeDomains
  const [category, ...further] = categories
  const sites = categories.flatMap(({ domains }) => domains)
  return [
    ...clauses,
    // Several sites need an "or", which not every service has: then results are chosen afterwards.
    ...(only !== undefined && others.length === 0 ? [site(only, false)] : []),
    ...(further.length === 0 && sites.length === 1 ? sites.map((domain) => site(domain, false)) : []),
    ...(further.length === 0 && category?.isPdf === true
      ? [{ kind: 'filetype', value: 'pdf', isExcluded: false } as const]
      : []),
    ...excludeDomains.slice(0, maxSites).map((domain) => site(domain, true)),
  ]
}

/** Clauses in which operators that a service lacks are words, to be looked at afterwards. */
export function withoutOperators(clauses: readonly Clause[], lacking: ReadonlySet<Clause['kind']>): readonly Clause[] {
  return clauses.flatMap((clause) => {
    if (!lacking.has(clause.kind)) return [clause]
    if (clause.isExcluded) return []
    // A site is best known by its name.
    const value = clause.kind === 'related' ? clause.value.replace(/\.[^.]+$/, '') : clause.value
    return [{ ...clause, kind: 'text' as const, value }]
  })
}
