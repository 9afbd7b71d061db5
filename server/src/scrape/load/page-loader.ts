import type { Agent } from 'undici'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { isSentCrossOrigin, mayForwardHeaders } from '../../kit/forward-headers.ts'
import { cancelledOrError, timed } from '../../metrics/timed.ts'
import type { MetricRecorder } from '../../metrics/metrics.ts'
import { inSpan } from '../../kit/current-work.ts'
import { createDomainFilter } from 'bowline/kit/domain-pattern'
import type { Egress } from '../../egress/egress.ts'
import { hostPortOf } from '../../egress/host-port.ts'
import { isMalformedResponse } from '../fetch/fetch-error.ts'
import { fetchPage } from '../fetch/fetch-page.ts'
import { withWarnings, type LoadedPage } from '../fetch/loaded-page.ts'
import type { ProcessedHtml } from '../format/process-html.ts'
import { localeOf } from '../fetch/page-locale.ts'
import type { RenderedPage } from '../render/capture-page.ts'
import type { Renderer } from '../render/renderer.ts'
import type { UpstreamName } from '../render/scrape-browsers.ts'
import type { DocumentReader } from './document-reader.ts'
import { browserOnlyOptions, nextLoadStep } from './load-step.ts'
import { hostNotAllowed, type MayFollow } from '../../kit/may-follow.ts'

/** Dependencies of `PageLoader`. */
export interface LoaderDeps {
  readonly egress: Pick<Egress, 'createDispatcher' | 'connector'>
  readonly renderer: Renderer
  /** Converts documents of office programs. */
  readonly documents: DocumentReader
  /** Major version of Chromium, such as `140`. */
  readonly chromeMajor: string
  /** Default: nothing is recorded. */
  readonly metrics?: MetricRecorder | undefined
}

/** A page to load. */
export interface LoadRequest {
  readonly request: ScrapeRequest
  readonly teamId: string
  /** Whether a redirect may lead to a URL. Default: to all. */
  readonly mayFollow?: MayFollow | undefined
  /** Throws if an HTTP redirect must not be followed. Default: all may. */
  readonly checkRedirect?: ((to: URL) => Promise<void>) | undefined
  readonly signal: AbortSignal
  /**
   * Turns the HTML of a loaded page into formats. Resolves to undefined for a page that is not
   * HTML.
   */
  readonly processPage: (page: LoadedPage) => Promise<ProcessedHtml | undefined>
}

/** A loaded page and, if it is HTML, its formats. */
export interface LoadResult {
  readonly page: LoadedPage & Partial<Pick<RenderedPage, 'screenshot' | 'actions'>>
  readonly processed: ProcessedHtml | undefined
  /** Whether the page was opened in a browser. */
  readonly isRendered: boolean
}

/**
 * Loads pages with an HTTP request, or in a browser if that is not enough. Disposing closes the
 * connections.
 */
export class PageLoader implements AsyncDisposable {
  readonly #deps: LoaderDeps
  readonly #dispatchers = new Map<string, Agent>()

  constructor(deps: LoaderDeps) {
    this.#deps = deps
  }

  /**
   * Loads a page over one upstream. Throws SCRAPE_*, EGRESS_REFUSED, PROFILE_LOCKED, or the
   * signal's reason.
   */
  async load(call: LoadRequest, upstream: UpstreamName): Promise<LoadResult> {
    const loaded = await this.#load({ ...call, mayFollow: restrictHosts(call) }, upstream)
    return { ...loaded, page: withWarnings(loaded.page, [withheldHeadersWarning(call.request, loaded.page)]) }
  }

  async #load(call: LoadRequest, upstream: UpstreamName): Promise<LoadResult> {
    if (browserOnlyOptions(call.request).length > 0) return this.#render(call, upstream)
    const fetched = await this.#fetch(call, upstream).catch((error: unknown) => {
      if (call.request.fastMode || !isMalformedResponse(error)) throw error
    })
    // Browsers accept more malformed responses than the HTTP client.
    if (fetched === undefined) return this.#render(call, upstream)
    const { page, processed } = fetched
    const hasRetryAfter = page.retryAfter !== undefined
    const facts = {
      kind: page.body.kind,
      statusCode: page.statusCode,
      isShell: processed?.isShell ?? false,
      hasRetryAfter,
    }
    if (nextLoadStep(call.request, facts) === 'render') return this.#render(call, upstream)
    const warning = facts.isShell && call.request.fastMode ? unrunScriptsWarning : undefined
    return { ...fetched, page: withWarnings(page, [warning]) }
  }

  /**
   * Whether a URL is reached through an upstream proxy. Targets that `--allow` permits are
   * connected to directly.
   */
  async usesUpstream(address: string, upstream: UpstreamName, signal: AbortSignal): Promise<boolean> {
    return this.#deps.egress.connector.usesUpstream(hostPortOf(new URL(address)), upstream, signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#dispatchers.values()].map(async (each) => each.destroy()))
  }

  async #fetch(
    { request, teamId, mayFollow, checkRedirect, signal, processPage }: LoadRequest,
    upstream: UpstreamName,
    cookies: readonly string[] = [],
  ): Promise<LoadResult> {
    const { acceptLanguage } = localeOf(request)
    const identity = { chromeMajor: this.#deps.chromeMajor, isMobile: request.mobile, acceptLanguage }
    const dispatcher = this.#dispatcher(upstream, request.skipTlsVerification)
    const options = { dispatcher, identity, headers: request.headers ?? {}, cookies, mayFollow, checkRedirect, signal }
    const timing = { name: 'bowline_fetch_seconds', failureOf: cancelledOrError(signal) } as const
    const fetched = await timed(this.#deps.metrics, timing, async () =>
      inSpan('scrape.fetch', async () => fetchPage(request.url, options)),
    )
    const page = await this.#deps.documents.read(fetched, { teamId, signal })
    return { page, processed: await processPage(page), isRendered: false }
  }

  async #render(call: LoadRequest, upstream: UpstreamName): Promise<LoadResult> {
    const page = await inSpan('scrape.render', async () =>
      this.#deps.renderer.render({ ...call, pageLocale: localeOf(call.request), upstream }),
    )
    // The browser downloads the file instead of showing it: fetch it, with the cookies that the
    // browser received.
    if ('cookies' in page) {
      const fetched = await this.#fetch(call, upstream, page.cookies)
      return { ...fetched, page: withWarnings(fetched.page, [page.warning]) }
    }
    return { page, processed: await call.processPage(page), isRendered: true }
  }

  #dispatcher(upstream: UpstreamName, skipTlsVerification: boolean): Agent {
    const key = `${upstream} ${skipTlsVerification}`
    const known = this.#dispatchers.get(key)
    if (known !== undefined) return known
    const dispatcher = this.#deps.egress.createDispatcher({
      upstream,
      agent: { connect: { rejectUnauthorized: !skipTlsVerification }, connections: 64, maxHeaderSize: 65_536 },
    })
    this.#dispatchers.set(key, dispatcher)
    return dispatcher
  }
}

/** Warning about a page that would have been rendered without `fastMode`. */
const unrunScriptsWarning =
  'The page has little or no text without its scripts and frames, which do not load with `fastMode`. Remove it to render the page.'

/**
 * Returns which redirects and frames both the caller and `allowedDomains` allow. Throws
 * EGRESS_REFUSED if the host of the page itself is not in `allowedDomains`.
 */
function restrictHosts({ request, mayFollow }: LoadRequest): MayFollow | undefined {
  const isAllowed = createDomainFilter(request.allowedDomains)
  if (isAllowed === undefined) return mayFollow
  const url = new URL(request.url)
  if (!isAllowed(url)) throw hostNotAllowed(url)
  return (to, isFrame) => isAllowed(to) && (mayFollow?.(to, isFrame) ?? true)
}

/**
 * Explains why a site that redirects rejects an API key: headers of the request stay with its own
 * origin.
 */
function withheldHeadersWarning({ url, headers }: ScrapeRequest, page: LoadedPage): string | undefined {
  const to = new URL(page.url)
  const isWithheld = Object.keys(headers ?? {}).some((name) => !isSentCrossOrigin(name))
  if (!isWithheld || !/^https?:$/.test(to.protocol) || mayForwardHeaders(new URL(url), to)) return undefined
  return `The page redirects to ${to.origin}, and \`headers\` were not sent there. To send them, use that address as \`url\`.`
}
