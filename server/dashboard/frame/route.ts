import { useLayoutEffect, useState } from 'preact/hooks'

/** The current route, from a hash such as `#/sessions/ID?view=take-over`. */
export interface Route {
  /** First path segment, such as `sessions`. */
  readonly section: string
  /** Further path segments, decoded. */
  readonly rest: readonly string[]
  readonly query: URLSearchParams
}

/** The URL of a route. */
export function linkTo(segments: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(query).toString()
  return `#/${segments.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`
}

/** Navigates to a route. */
export function goTo(segments: readonly string[], query?: Readonly<Record<string, string>>): void {
  location.hash = linkTo(segments, query)
}

/** The current route. Re-renders the component when it changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute)
  // A layout effect, so that navigation works as soon as the page is painted.
  useLayoutEffect(() => {
    const onChange = (): void => setRoute(readRoute())
    addEventListener('hashchange', onChange)
    return () => removeEventListener('hashchange', onChange)
  }, [])
  return route
}

/** Reads the route of the URL, which is newer than what is drawn just after a navigation. */
export function readRoute(): Route {
  const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?')
  const [section = '', ...rest] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodePart)
  return { section: section === '' ? 'sessions' : section, rest, query: new URLSearchParams(search) }
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // Not valid percent-encoding: the text is used unchanged.
    return part
  }
}
