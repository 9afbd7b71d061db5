import { canonicalUrl, pageKeyOf } from 'bowline/kit/canonical-url'
import type { Site } from './site.ts'

/** A page of the site, with what is known of it. */
export interface FoundLink {
  readonly url: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  /** The words of a link to it. They help to order links and are not shown. */
  readonly text?: string | undefined
}

/** Which links are kept. */
export interface CollectionOptions {
  readonly site: Site
  readonly ignoreQueryParameters: boolean
  /** Only pages under this path count, if there are any. Default: all. */
  readonly path?: string | undefined
  /** Most links that are kept. */
  readonly capacity: number
}

/** The pages of a site, each once, in the order they were found. */
export class LinkCollection {
  readonly #options: CollectionOptions
  readonly #seen = new Map<string, number>()
  readonly #links: FoundLink[] = []
  readonly #outside: FoundLink[] = []

  constructor(options: CollectionOptions) {
    this.#options = options
  }

  get isFull(): boolean {
    return this.#links.length >= this.#options.capacity
  }

  /** Pages under the path that was asked for. */
  get links(): readonly FoundLink[] {
    return this.#links
  }

  /** Pages of the site elsewhere. */
  get outside(): readonly FoundLink[] {
    return this.#outside
  }

  /** Adds a link unless it is of another site or known; what is new about a known one is kept. Answers whether there is room for more. */
  add(text: string, facts: Omit<FoundLink, 'url'> = {}, base?: URL): boolean {
    const { site, ignoreQueryParameters, path, capacity } = this.#options
    const url = canonicalUrl(text, { base, ignoreQueryParameters })
    if (url === undefined || !site.includes(url) || this.isFull) return !this.isFull
    const identity = pageKeyOf(url)
    const known = this.#seen.get(identity)
    if (known !== undefined) this.#complete(known, facts)
    else if (path === undefined || isUnder(url, path)) {
      this.#seen.set(identity, this.#links.push({ url: url.href, ...facts }) - 1)
    } else if (this.#outside.length < capacity) {
      this.#seen.set(identity, -1)
      this.#outside.push({ url: url.href, ...facts })
    }
    return !this.isFull
  }

  #complete(index: number, facts: Omit<FoundLink, 'url'>): void {
    const link = this.#links[index]
    if (link === undefined) return
    const { title = facts.title, description = facts.description, text = facts.text } = link
    this.#links[index] = { url: link.url, title, description, text }
  }
}

/** The path under which pages must lie, for a start address: that of its folder. Undefined: all of the site. */
export function folderOf(start: URL): string | undefined {
  const last = start.pathname.split('/').at(-1) ?? ''
  const folder = last.includes('.') ? start.pathname.slice(0, -last.length) : start.pathname
  const path = folder.replace(/\/+$/, '')
  return path === '' ? undefined : path
}

function isUnder(url: URL, path: string): boolean {
  return url.pathname === path || url.pathname.startsWith(`${path}/`)
}
