import { linkTo, readRoute, type Route } from './route.ts'

/** The filters of a list. */
export interface Filters<Name extends string> {
  /** Empty for filters that select all. */
  readonly values: Readonly<Record<Name, string>>
  readonly set: (name: Name, value: string) => void
  readonly isFiltered: boolean
  /** Differs for other values. */
  readonly key: string
}

/** The filters of a page. They are in its URL, so that reloads, links and "Back" keep them. */
export function filtersOf<Name extends string>(route: Route, names: readonly Name[]): Filters<Name> {
  const values = readValues(route, names)
  const set = (name: Name, value: string): void => {
    // Another filter may have been set since the page was drawn.
    const latest = readValues(readRoute(), names)
    const query = Object.entries<string>({ ...latest, [name]: value }).filter(([, each]) => each !== '')
    // Without an entry of the history for each of them.
    location.replace(linkTo([route.section, ...route.rest], Object.fromEntries(query)))
  }
  return {
    values,
    set,
    isFiltered: names.some((name) => values[name] !== ''),
    key: JSON.stringify(values),
  }
}

function readValues<Name extends string>({ query }: Route, names: readonly Name[]): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])) as Record<Name, string>
}
