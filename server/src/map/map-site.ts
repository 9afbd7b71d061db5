import type { Dispatcher } from 'undici'
import { mapLimits, type MapLink, type MapRequest } from 'bowline/contract/map'
import { type Abortable, mergeSignals } from 'bowline/kit/abort'
import { createDomainFilter } from 'bowline/kit/domain-pattern'
import { BowlineError } from 'bowline/kit/errors'
import { decodeText } from './decode.ts'
import type { MapContext } from './map-context.ts'
import { toEgressError, fetchStream } from './fetch-stream.ts'
import { pathPrefixOf, scopeOf, LinkCollection, type FoundLink, type MapScope } from './link-collection.ts'
import { warningsOf } from './map-warnings.ts'
import { readPageLinks, type PageLinks } from './page-links.ts'
import { orderByRelevance } from './relevance.ts'
import { createHeadersFor } from './request-headers.ts'
import { readRobots, tooLong } from './read-robots.ts'
import { renderStartPage, type RenderPage } from './render-start-page.ts'
import { maxPageBytes, tooManyLinks, walkPages } from './walk-pages.ts'
import { walkSitemaps, type ListedPages } from './walk-sitemaps.ts'

/** Options of `mapSite`. */
export interface MapSiteOptions extends Abortable {
  /**
   * Renders a start page that has no links before its scripts run. Default: such a page has no
   * links.
   */
  readonly renderPage?: RenderPage | undefined
  /**
   * If no page lies under the path, list the rest of the site instead of only the path.
   * Default: `true`.
   */
  readonly fallsBackToSite?: boolean | undefined
  /** Whether redirects may lead to URLs that robots.txt disallows. Default: `false`. */
  readonly ignoresRobots?: boolean | undefined
  /** Leaves out images, style sheets, scripts and archives. Default: `false`. */
  readonly skipsAssets?: boolean | undefined
}

/** The pages of a site, and why there may be more. */
export interface SiteMap {
  readonly links: readonly MapLink[]
  readonly warning: string | undefined
  /** The sentences of `warning` about data that exceeds limits. */
  readonly omissions: readonly string[]
  readonly scope: MapScope
}

/**
 * Milliseconds after which exploring ends and the pages found so far are returned, if the caller
 * sets no timeout.
 */
const exploreMs = 50_000
const transferMs = 30_000

/** Maximum number of sentences about omitted data in a warning. */
const maxOmissions = 3

const defaultSitemaps = ['/sitemap.xml', '/sitemap_index.xml', '/sitemap.txt'] as const

/**
 * Lists the pages of a site from its robots.txt, sitemaps and links. If no page was found, throws
 * EGRESS_REFUSED or EGRESS_FAILED if the start URL cannot be reached, and MAP_TIMEOUT after the
 * timeout of the request. Throws the signal's reason.
 */
export async function mapSite(
  dispatcher: Dispatcher,
  request: MapRequest,
  { signal, renderPage, fallsBackToSite = true, ignoresRobots = false, skipsAssets = false }: MapSiteOptions = {},
): Promise<SiteMap> {
  const { timeout = exploreMs } = request
  const late = AbortSignal.timeout(Math.ceil(timeout))
  const options = { renderPage, ignoresRobots, skipsAssets, signal: mergeSignals(late, signal) }
  const found = await explore(dispatcher, request, options)
  signal?.throwIfAborted()
  const { links } = found.context
  if (links.size + links.outside.length === 0) {
    if (late.aborted) throw new BowlineError('MAP_TIMEOUT', `The map found no page within ${timeout} ms`)
    if (found.error !== undefined) throw found.error
  }
  return toSiteMap(request, found, { signal, stoppedAfterMs: late.aborted ? timeout : undefined, fallsBackToSite })
}

interface Findings {
  readonly context: MapContext
  readonly scope: MapScope
  /** Why the start URL could not be read. */
  readonly error: BowlineError | undefined
  readonly hasSitemap: boolean
  /** HTTP status of the start page, if it was an error. */
  readonly status: number | undefined
  /** URL of the start page after redirects. */
  readonly finalUrl: URL | undefined
  /** Whether there were more links to follow. */
  readonly isTruncated: boolean
  /** Sentences about omitted data. */
  readonly omissions: ReadonlySet<string>
}

async function explore(
  dispatcher: Dispatcher,
  request: MapRequest,
  deps: {
    readonly renderPage: RenderPage | undefined
    readonly ignoresRobots: boolean
    readonly skipsAssets: boolean
    readonly signal: AbortSignal
  },
): Promise<Findings> {
  const { signal } = deps
  const start = new URL(request.url)
  const mayOpen = createDomainFilter(request.allowedDomains)
  const scope = scopeOf(request)
  const { site } = scope
  const headersFor = createHeadersFor(request)
  const omissions = new Set<string>()
  const addWarning: MapContext['addWarning'] = (what) =>
    void omissions.add(omissions.size < maxOmissions ? what : 'More data was omitted.')
  const open: MapContext['open'] = async (url, maxBytes, options = {}) => {
    const { addOmission = addWarning, timeoutMs = transferMs, checkRedirect } = options
    const onTruncated = (): void => addOmission(tooLong(url, maxBytes))
    const limits = { maxBytes, onTruncated, timeoutMs, signal }
    return fetchStream(url, { ...limits, dispatcher, headersFor, mayOpen, checkRedirect })
  }
  const { robotsOf, checkRobots } = createRobotsReader(open, deps)
  const [robots, fetched] = await Promise.all([robotsOf(start.origin), readStart(open, start, checkRobots)])
  const page = await chooseStartPage(request, fetched, { ...deps, checkRobots })
  if (page.url !== undefined) site.addHost(page.url)
  for (const warning of robots.warnings) addWarning(warning)
  if (page.url !== undefined && page.links.isTruncated) addWarning(tooManyLinks(page.url))
  const { search, limit, ignoreQueryParameters, sitemap } = request
  const links = new LinkCollection({
    ...scope,
    ignoreQueryParameters,
    skipsAssets: deps.skipsAssets,
    // Ranking needs all links.
    capacity: search === undefined ? limit : mapLimits.max,
  })
  const context: MapContext = { site, links, robots, robotsOf, checkRobots, open, addWarning, signal }
  const isPage = sitemap === 'skip' || page.isHtml === true || !isNamedAsSitemap(start)
  if (isPage) addStart(context, page, sitemap)
  const own = sitemap === 'skip' ? noPages : await readSitemaps(context, start, page.links)
  // Added after the sitemaps were read, because the start URL may be one of them.
  if (!isPage) addStart(context, page, sitemap)
  const others = sitemap === 'skip' ? noPages : await readSubdomainSitemaps(context, start, request)
  const wantsWalk = own.count === 0 && sitemap !== 'only' && page.url !== undefined
  const isComplete = wantsWalk && page.url !== undefined ? await walkPages(context, page.url, page.links) : true
  return {
    context,
    scope,
    error: fetched.error,
    status: fetched.status,
    finalUrl: page.url,
    hasSitemap: own.hasSitemap || others.hasSitemap,
    isTruncated: !isComplete,
    omissions,
  }
}

/** Adds the start page and its links, unless only pages of sitemaps are wanted. */
function addStart(
  { links }: MapContext,
  { url: start, links: found }: StartPage,
  sitemap: MapRequest['sitemap'],
): void {
  if (sitemap === 'only' || start === undefined) return
  const { title, description } = found
  links.add(start.href, { title, description })
  for (const { url, text } of found.links) links.add(url, { text })
}

const noPages: ListedPages = { count: 0, hasSitemap: false }

/** Creates functions that read the robots.txt of each origin once, and check URLs against it. */
function createRobotsReader(
  open: MapContext['open'],
  { ignoresRobots }: { readonly ignoresRobots: boolean },
): Pick<MapContext, 'robotsOf' | 'checkRobots'> {
  const known = new Map<string, ReturnType<typeof readRobots>>()
  const robotsOf: MapContext['robotsOf'] = async (origin) => {
    const rules = known.get(origin) ?? readRobots(open, origin)
    known.set(origin, rules)
    return rules
  }
  const checkRobots: MapContext['checkRobots'] = async (url) => {
    if (ignoresRobots || (await robotsOf(url.origin)).allows(url)) return
    throw new BowlineError('SCRAPE_ROBOTS_BLOCKED', `robots.txt disallows ${url.href}, to which a page redirects`)
  }
  return { robotsOf, checkRobots }
}

interface StartPage {
  readonly links: PageLinks
  /** URL after redirects, or `undefined` if the page could not be read. */
  readonly url?: URL
  readonly isHtml?: boolean
  /** HTTP status, if it was an error. */
  readonly status?: number
  readonly error?: BowlineError
}

/**
 * Returns the rendered start page instead of the fetched one, if it needs its scripts. Scripts may
 * lead to a page that robots.txt disallows, which is not used.
 */
async function chooseStartPage(
  request: MapRequest,
  fetched: StartPage,
  {
    checkRobots,
    renderPage,
    signal,
  }: Pick<MapContext, 'checkRobots' | 'signal'> & { readonly renderPage: RenderPage | undefined },
): Promise<StartPage> {
  if (fetched.isHtml !== true) return fetched
  const rendered = await renderStartPage(request, fetched.links, { renderPage, signal })
  if (rendered === undefined || rendered.url.href === new URL(request.url).href) return rendered ?? fetched
  return checkRobots(rendered.url).then(
    () => rendered,
    () => fetched,
  )
}

const noLinks: PageLinks = {
  links: [],
  title: undefined,
  description: undefined,
  sitemaps: [],
  feeds: [],
  isTruncated: false,
}

async function readStart(
  open: MapContext['open'],
  start: URL,
  checkRedirect: MapContext['checkRobots'],
): Promise<StartPage> {
  try {
    await using response = await open(start, maxPageBytes, { checkRedirect })
    if (response.status >= 400) return { links: noLinks, status: response.status }
    if (!response.contentType.includes('html')) return { links: noLinks, url: response.url }
    const links = await readPageLinks(decodeText(response.chunks, response.contentType), response.url)
    return { links, url: response.url, isHtml: true }
  } catch (error) {
    return { links: noLinks, error: toEgressError(start, error) }
  }
}

/**
 * Reads sitemaps from the first source that lists any page: those the site names, the usual paths,
 * its feeds.
 */
async function readSitemaps(context: MapContext, start: URL, page: PageLinks): Promise<ListedPages> {
  const named = [...(isNamedAsSitemap(start) ? [start.href] : []), ...context.robots.sitemaps, ...page.sitemaps]
  let hasSitemap = false
  for (const group of [named, ...defaultSitemaps.map((path) => [path]), page.feeds]) {
    const urls = group.map((text) => URL.parse(text, start.href)).filter((url) => url !== null)
    const listed = await walkSitemaps(context, urls, { areNamed: group === named })
    if (listed.count > 0) return listed
    hasSitemap ||= listed.hasSitemap
  }
  return { count: 0, hasSitemap }
}

/** Whether a URL has the extension of a sitemap. */
function isNamedAsSitemap({ pathname }: URL): boolean {
  return /\.(?:xml|txt)(?:\.gz)?$/i.test(pathname)
}

/** Maximum number of subdomains whose sitemaps are read. */
const maxSubdomains = 10

/** Reads the sitemaps of subdomains found in links and sitemaps. */
async function readSubdomainSitemaps(
  context: MapContext,
  start: URL,
  { includeSubdomains, filterByPath }: MapRequest,
): Promise<ListedPages> {
  if (!includeSubdomains || (filterByPath && pathPrefixOf(start) !== undefined)) return noPages
  const isStart = (host: string): boolean => host.replace(/^www\./, '') === start.host.replace(/^www\./, '')
  const origins = new Set(
    context.links.links
      .map(({ url }) => new URL(url))
      .filter(({ host }) => !isStart(host))
      .map(({ origin }) => origin),
  )
  if (origins.size > maxSubdomains) {
    context.addWarning(`The sitemaps of ${maxSubdomains} of ${origins.size} subdomains were read.`)
  }
  const sitemaps = [...origins].slice(0, maxSubdomains).map(async (origin) => {
    const { sitemaps: named, warnings } = await context.robotsOf(origin)
    for (const warning of warnings) context.addWarning(warning)
    const texts = named.length > 0 ? named : [defaultSitemaps[0]]
    return texts.map((text) => URL.parse(text, origin)).filter((url) => url !== null)
  })
  return walkSitemaps(context, (await Promise.all(sitemaps)).flat())
}

async function toSiteMap(
  request: MapRequest,
  found: Findings,
  {
    signal,
    stoppedAfterMs,
    fallsBackToSite,
  }: Abortable & { readonly stoppedAfterMs: number | undefined; readonly fallsBackToSite: boolean },
): Promise<SiteMap> {
  const { links: inside, outside } = found.context.links
  // A path with no pages below it is more likely a page than a folder.
  const isPage = fallsBackToSite && inside.length <= 1 && outside.length > 0
  const all = isPage ? [...inside, ...outside] : inside
  const ordered = request.search === undefined ? all : await orderByRelevance(all, request.search, { signal })
  const links = ordered.slice(0, request.limit).map(toLink)
  const reasons = warningsOf(request, { ...found, isPage, stoppedAfterMs, count: links.length })
  const omissions = links.length < request.limit ? [...found.omissions] : []
  const warnings = [...reasons, ...omissions]
  return { links, omissions, scope: found.scope, warning: warnings.length === 0 ? undefined : warnings.join(' ') }
}

function toLink({ url, title, description }: FoundLink): MapLink {
  return {
    url,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  }
}
