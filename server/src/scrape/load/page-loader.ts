import type { Agent } from 'undici'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { mayForwardHeaders } from '../../kit/forward-headers.ts'
import type { Egress } from '../../egress/egress.ts'
import { fetchPage } from '../fetch/fetch-page.ts'
import { withWarnings, type LoadedPage } from '../fetch/loaded-page.ts'
import type { PageResult } from '../format/process-html.ts'
import { placeOf } from '../fetch/page-locale.ts'
import type { RenderedPage } from '../render/render-page.ts'
import type { Renderer } from '../render/renderer.ts'
import type { RenderRoute } from '../render/scrape-browsers.ts'
import { reasonsToRender, wayAfterFetch } from './needs-browser.ts'

/** What pages are loaded with. */
export interface LoaderDeps {
  readonly egress: Pick<Egress, 'createDispatcher' | 'connector'>
  readonly renderer: Renderer
  readonly chromeMajor: string
}

/** One page to load. */
export interface LoadCall {
  readonly request: ScrapeRequest
  readonly teamId: string
  readonly signal: AbortSignal
  /** Reads the HTML of a page. Undefined for what has none. */
  readonly read: (page: LoadedPage) => Promise<PageResult | undefined>
}

/** A page that was loaded and read. */
export interface ReadPage {
  readonly page: LoadedPage & Partial<Pick<RenderedPage, 'screenshot' | 'actions'>>
  readonly reading: PageResult | undefined
  /** Whether a browser opened it. */
  readonly isRendered: boolean
}

/** Loads pages by the cheapest way that shows them. Disposing closes its connections. */
export class PageLoader implements AsyncDisposable {
  readonly #deps: LoaderDeps
  readonly #dispatchers = new Map<string, Agent>()

  constructor(deps: LoaderDeps) {
    this.#deps = deps
  }

  /** Loads a page by a route. Throws SCRAPE_*, EGRESS_REFUSED, PROFILE_LOCKED, or the signal's reason. */
  async load(call: LoadCall, route: RenderRoute): Promise<ReadPage> {
    const loaded = await this.#load(call, route)
    return { ...loaded, page: withWarnings(loaded.page, [warningOfHeaders(call.request, loaded.page)]) }
  }

  async #load(call: LoadCall, route: RenderRoute): Promise<ReadPage> {
    if (reasonsToRender(call.request).length > 0) return this.#render(call, route)
    const fetched = await this.#fetch(call, route)
    const { page, reading } = fetched
    const saysWhen = page.retryAfter !== undefined
    const facts = { kind: page.body.kind, statusCode: page.statusCode, isShell: reading?.isShell ?? false, saysWhen }
    return wayAfterFetch(call.request, facts) === 'fetch' ? fetched : this.#render(call, route)
  }

  /** Whether a page is reached through a proxy: those that `--allow` opens are not. */
  async usesProxy(address: string, route: RenderRoute, signal: AbortSignal): Promise<boolean> {
    const { hostname, port, protocol } = new URL(address)
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    const target = { host, port: Number(port || (protocol === 'https:' ? 443 : 80)) }
    return this.#deps.egress.connector.usesUpstream(target, route, signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#dispatchers.values()].map(async (each) => each.destroy()))
  }

  async #fetch(
    { request, signal, read }: LoadCall,
    route: RenderRoute,
    cookies: readonly string[] = [],
  ): Promise<ReadPage> {
    const { acceptLanguage } = placeOf(request)
    const visitor = { chromeMajor: this.#deps.chromeMajor, isMobile: request.mobile, acceptLanguage }
    const dispatcher = this.#dispatcher(route, request.skipTlsVerification)
    const page = await fetchPage(request.url, { dispatcher, visitor, headers: request.headers ?? {}, cookies, signal })
    return { page, reading: await read(page), isRendered: false }
  }

  async #render(call: LoadCall, route: RenderRoute): Promise<ReadPage> {
    const page = await this.#deps.renderer.render({ ...call, pageLocale: placeOf(call.request), route })
    // A browser does not show files. It may know the cookies that they are given for.
    if ('cookies' in page) return this.#fetch(call, route, page.cookies)
    return { page, reading: await call.read(page), isRendered: true }
  }

  #dispatcher(route: RenderRoute, isLax: boolean): Agent {
    const key = `${route} ${isLax}`
    const known = this.#dispatchers.get(key)
    if (known !== undefined) return known
    const made = this.#deps.egress.createDispatcher({
      route,
      agent: { connect: { rejectUnauthorized: !isLax }, connections: 64, maxHeaderSize: 65_536 },
    })
    this.#dispatchers.set(key, made)
    return made
  }
}

/** Whoever sends a key to a site that redirects wonders why it was not accepted. */
function warningOfHeaders({ url, headers }: ScrapeRequest, page: LoadedPage): string | undefined {
  const to = new URL(page.url)
  const isWithheld = Object.keys(headers ?? {}).some((name) => name.toLowerCase() !== 'user-agent')
  if (!isWithheld || !/^https?:$/.test(to.protocol) || mayForwardHeaders(new URL(url), to)) return undefined
  return `The page redirects to ${to.origin}, which did not get \`headers\`. To send them there, use its address as \`url\`.`
}
