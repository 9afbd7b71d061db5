/** A page to read. */
export interface Step {
  readonly url: URL
  /** Number of links that lead to it from the start page. */
  readonly depth: number
}

/** Pages with similar URLs. */
interface Group {
  readonly steps: Step[]
  /** Number of its pages that were read. */
  visits: number
  /** Number of pages first found on them. */
  found: number
}

/** Number of new pages expected on a page of a group that has not been visited yet. */
const expectedLinks = 1

/**
 * Queue of pages to read. Pages come first if pages with similar URLs have led to many new ones,
 * such as the lists of a shop. Otherwise the order is first in, first out.
 */
export class LinkQueue {
  readonly #groups = new Map<string, Group>()
  #length = 0

  get length(): number {
    return this.#length
  }

  push(step: Step): void {
    this.#groupOf(step.url).steps.push(step)
    this.#length += 1
  }

  /** Removes and returns the next page. */
  shift(): Step | undefined {
    let best: Group | undefined
    for (const group of this.#groups.values()) {
      if (group.steps.length > 0 && (best === undefined || yieldOf(group) > yieldOf(best))) best = group
    }
    if (best === undefined) return undefined
    best.visits += 1
    this.#length -= 1
    return best.steps.shift()
  }

  /** Records the number of new pages found on a page. */
  record({ url }: Step, found: number): void {
    this.#groupOf(url).found += found
  }

  #groupOf(url: URL): Group {
    const key = groupKeyOf(url)
    const group = this.#groups.get(key) ?? { steps: [], visits: 0, found: 0 }
    this.#groups.set(key, group)
    return group
  }
}

function yieldOf({ visits, found }: Group): number {
  return (found + expectedLinks) / (visits + 1)
}

/** Returns the folder and the query parameters of a URL: `/items/?page` for `/items/1?page=2`. */
function groupKeyOf({ host, pathname, searchParams }: URL): string {
  const folder = pathname.slice(0, pathname.lastIndexOf('/') + 1)
  return `${host}${folder}?${[...new Set(searchParams.keys())].toSorted().join('&')}`
}
