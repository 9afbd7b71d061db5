import { useLayoutEffect, useState } from 'preact/hooks'

/** Where in the dashboard we are: `#/sessions/ID?view=take-over`. */
export interface Route {
  /** Such as `sessions`. */
  readonly place: string
  /** What follows, decoded. */
  readonly rest: readonly string[]
  readonly query: URLSearchParams
}

/** The address of a place in the dashboard. */
export function linkTo(parts: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(query).toString()
  return `#/${parts.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`
}

/** Goes to a place. */
export function goTo(parts: readonly string[], query?: Readonly<Record<string, string>>): void {
  location.hash = linkTo(parts, query)
}

/** Where we are; the component is drawn anew when that changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute)
  // Before anything is painted: what is seen can be left.
  useLayoutEffect(() => {
    const onChange = (): void => setRoute(readRoute())
    addEventListener('hashchange', onChange)
    return () => removeEventListener('hashchange', onChange)
  }, [])
  return route
}

function readRoute(): Route {
  const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?')
  const [place = '', ...rest] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodePart)
  return { place: place === '' ? 'sessions' : place, rest, query: new URLSearchParams(search) }
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
