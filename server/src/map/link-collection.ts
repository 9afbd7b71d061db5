import type { MapRequest } from 'bowline/contract/map'
import { createDomainFilter } from 'bowline/kit/domain-pattern'
import { canonicalUrl, pageKeyOf } from 'bowline/kit/canonical-url'
import { trimEnd } from 'bowline/kit/trim-end'
import { isAsset } from './is-asset.ts'
import { createSite, type Site } from './site.ts'

/** A page of the site, with its known metadata. */
export interface FoundLink {
  readonly url: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  /** The text of a link to it. Used for ranking only. */
  readonly text?: string | undefined
}

/** The pages that a map lists. */
export interface MapScope {
  readonly site: Site
  /** Only list pages under this path, if there are any. Default: all. */
  readonly path?: string | undefined
}

/** Options of a `LinkCollection`. */
export interface CollectionOptions extends MapScope {
  readonly ignoreQueryParameters: boolean
  /** Leave out images, style sheets, scripts and archives. Default: false. */
  readonly skipsAssets?: boolean | undefined
  /** Maximum number of links. */
  readonly capacity: number
}

/** The pages of a site without duplicates, in the order they were found. */
export class LinkCollection {
  readonly #options: CollectionOptions
  readonly #links = new Map<string, FoundLink>()
  readonly #outside = new Map<string, FoundLink>()
  readonly #leftOut = new Set<string>()

  constructor(options: CollectionOptions) {
    this.#options = options
  }

  get isFull(): boolean {
    return this.#links.size >= this.#options.capacity
  }

  /** Number of `links`. */
  get size(): number {
    return this.#links.size
  }

  /** Pages under the path. */
  get links(): readonly FoundLink[] {
    return [...this.#links.values()]
  }

  /** Other pages of the site. */
  get outside(): readonly FoundLink[] {
    return [...this.#outside.values()]
  }

  /**
   * Adds a link unless it leads to another site. Missing metadata of a known link is added. Returns
   * whether there is room for more.
   */
  add(text: string, metadata: Omit<FoundLink, 'url'> = {}, base?: URL): boolean {
    const { site, ignoreQueryParameters, skipsAssets = false, path, capacity } = this.#options
    const url = canonicalUrl(text, { base, ignoreQueryParameters })
    if (url === undefined || !site.includes(url) || this.isFull) return !this.isFull
    if (skipsAssets && isAsset(url)) return true
    const identity = pageKeyOf(url)
    const known = this.#links.get(identity)
    if (this.#leftOut.has(identity) || this.#outside.has(identity)) return true
    if (known !== undefined) this.#links.set(identity, completed(known, metadata))
    else if (isUnder(url, path)) this.#links.set(identity, { url: url.href, ...metadata })
    else if (this.#outside.size < capacity) this.#outside.set(identity, { url: url.href, ...metadata })
    return !this.isFull
  }

  /** Removes a URL that is not a page, such as that of a sitemap, and ignores it from now on. */
  leaveOut({ href }: URL): void {
    const { ignoreQueryParameters } = this.#options
    const url = canonicalUrl(href, { ignoreQueryParameters })
    if (url === undefined) return
    const identity = pageKeyOf(url)
    this.#leftOut.add(identity)
    this.#links.delete(identity)
    this.#outside.delete(identity)
  }
}

function completed({ url, ...link }: FoundLink, metadata: Omit<FoundLink, 'url'>): FoundLink {
  const { title = metadata.title, description = metadata.description, text = metadata.text } = link
  return { url, title, description, text }
}

/**
 * Returns the path prefix that the pages of a start URL share: that of its folder. `undefined`
 * means the whole site.
 */
export function pathPrefixOf(start: URL): string | undefined {
  const last = start.pathname.split('/').at(-1) ?? ''
  const folder = last.includes('.') ? start.pathname.slice(0, -last.length) : start.pathname
  const path = trimEnd(folder, '/')
  return path === '' ? undefined : path
}

/** Returns the scope of a map, without the host to which its start page redirects. */
export function scopeOf({ url, includeSubdomains, filterByPath, allowedDomains }: MapRequest): MapScope {
  const start = new URL(url)
  return {
    site: createSite(start, { includeSubdomains, isAllowed: createDomainFilter(allowedDomains) }),
    path: filterByPath ? pathPrefixOf(start) : undefined,
  }
}

/** Returns whether a URL is within the scope of a map. */
export function isInScope(url: URL, { site, path }: MapScope): boolean {
  return site.includes(url) && isUnder(url, path)
}

function isUnder({ pathname }: URL, path: string | undefined): boolean {
  return path === undefined || pathname === path || pathname.startsWith(`${path}/`)
}
