import type { Dispatcher } from 'undici'
import { mapLimits, type MapLink, type MapRequest } from 'bowline/contract/map'
import type { Abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { decodeText } from './decode.ts'
import type { MapContext } from './map-context.ts'
import { asEgressError, fetchStream } from './fetch-stream.ts'
import { folderOf, LinkCollection, type FoundLink } from './link-collection.ts'
import { readPageLinks, type PageLinks } from './page-links.ts'
import { orderByRelevance } from './relevance.ts'
import { createHeadersFor, robotsName } from './request-headers.ts'
import { maxRobotsBytes, parseRobots, type Robots } from './robots.ts'
import { showStart, type ShowPage } from './show-start.ts'
import { createSite } from './site.ts'
import { maxPageBytes, tooManyLinks, walkPages } from './walk-pages.ts'
import { walkSitemaps } from './walk-sitemaps.ts'

/** What maps are made with besides the way out. */
export interface MapMeans extends Abortable {
  /** Shows a start page that is empty before its scripts run. Default: such a page has no links. */
  readonly showPage?: ShowPage | undefined
  /** Whether a path without pages below it lists the rest of the site instead of itself alone. Default true. */
  readonly fallsBackToSite?: boolean | undefined
}

/** The pages of a site, and why there may be more. */
export interface SiteMap {
  readonly links: readonly MapLink[]
  readonly warning: string | undefined
}

/** Milliseconds after which looking ends and what was found counts, when the caller sets no limit. */
const lookingMs = 50_000
const transferMs = 30_000

/** Sentences of a warning about what was left out. */
const maxCuts = 3

const usualSitemaps = ['/sitemap.xml', '/sitemap_index.xml', '/sitemap.txt'] as const

/**
 * Lists the pages of a site from its robots.txt, its sitemaps and its pages. Throws EGRESS_REFUSED or EGRESS_FAILED when the
 * start address cannot be reached and nothing else is known, MAP_TIMEOUT, or the signal's reason.
 */
export async function mapSite(
  dispatcher: Dispatcher,
  request: MapRequest,
  { signal, showPage, fallsBackToSite = true }: MapMeans = {},
): Promise<SiteMap> {
  const limits = limitsOf(request, signal)
  const found = await explore(dispatcher, request, { showPage, signal: limits.looking })
  limits.call.throwIfAborted()
  const { links } = found.context
  if (links.links.length + links.outside.length === 0 && found.error !== undefined) throw found.error
  return present(request, found, { signal: limits.call, isLate: limits.looking.aborted, fallsBackToSite })
}

interface Limits {
  /** Aborts when the call is over: its caller left, or its own timeout is spent. */
  readonly call: AbortSignal
  /** Aborts then, too, and when looking took long enough. */
  readonly looking: AbortSignal
}

function limitsOf({ timeout }: MapRequest, signal: AbortSignal | undefined): Limits {
  const own = new AbortController()
  if (timeout !== undefined) {
    AbortSignal.timeout(Math.ceil(timeout)).addEventListener('abort', () =>
      own.abort(new BowlineError('MAP_TIMEOUT', `The map was not ready within its timeout of ${timeout} ms`)),
    )
  }
  const call = AbortSignal.any([own.signal, ...(signal === undefined ? [] : [signal])])
  return { call, looking: timeout === undefined ? AbortSignal.any([call, AbortSignal.timeout(lookingMs)]) : call }
}

interface Findings {
  readonly context: MapContext
  /** Why the start address could not be read. */
  readonly error: BowlineError | undefined
  readonly hasSitemap: boolean
  /** What the start page answered, when that was a failure. */
  readonly status: number | undefined
  /** Whether there were more pages to follow than were followed. */
  readonly isCut: boolean
  /** What was left out of what was read, as sentences. */
  readonly cuts: ReadonlySet<string>
}

async function explore(
  dispatcher: Dispatcher,
  request: MapRequest,
  deps: { readonly showPage: ShowPage | undefined; readonly signal: AbortSignal },
): Promise<Findings> {
  const { signal } = deps
  const start = new URL(request.url)
  const site = createSite(start, request)
  const headersFor = createHeadersFor(request)
  const cuts = new Set<string>()
  const noteCut: MapContext['noteCut'] = (what) => void cuts.add(cuts.size < maxCuts ? what : 'More was left out, too.')
  const open: MapContext['open'] = async (url, maxBytes) => {
    const onCut = (): void => noteCut(`${url.href} is longer than ${maxBytes / 1e6} MB: the rest was left out.`)
    return fetchStream(url, { dispatcher, headersFor, maxBytes, onCut, timeoutMs: transferMs, signal })
  }
  const [robots, fetched] = await Promise.all([readRobots(open, start), readStart(open, start)])
  const page = (fetched.isHtml === true && (await showStart(request, fetched.links, deps))) || fetched
  if (page.url !== undefined) site.addHost(page.url)
  for (const cut of robots.cuts) noteCut(cut)
  if (page.url !== undefined && page.links.isCut) noteCut(tooManyLinks(page.url))
  const { search, limit, ignoreQueryParameters, filterByPath, sitemap } = request
  const links = new LinkCollection({
    site,
    ignoreQueryParameters,
    path: filterByPath ? folderOf(start) : undefined,
    // Which ones are the best is known only when all are.
    capacity: search === undefined ? limit : mapLimits.max,
  })
  const context: MapContext = { site, links, robots, open, noteCut, signal }
  if (sitemap !== 'only' && page.url !== undefined) {
    const { title, description } = page.links
    links.add(page.url.href, { title, description })
    for (const { url, text } of page.links.links) links.add(url, { text })
  }
  const ownSitemaps = sitemap === 'skip' ? 0 : await readSitemaps(context, start, page.links)
  const listed = ownSitemaps + (sitemap === 'skip' ? 0 : await readSubdomainSitemaps(context, start, request))
  const wantsWalk = ownSitemaps === 0 && sitemap !== 'only' && page.url !== undefined
  const isWhole = wantsWalk && page.url !== undefined ? await walkPages(context, page.url, page.links) : true
  return { context, error: fetched.error, status: fetched.status, hasSitemap: listed > 0, isCut: !isWhole, cuts }
}

async function readRobots(open: MapContext['open'], start: URL): Promise<Robots> {
  let text = ''
  try {
    await using answer = await open(new URL('/robots.txt', start), maxRobotsBytes)
    if (answer.status < 400) for await (const piece of decodeText(answer.chunks)) text += piece
  } catch {
    // A site that gives no rules has none.
  }
  return parseRobots(text, robotsName)
}

interface StartPage {
  readonly links: PageLinks
  /** Where it was found; undefined when it was not. */
  readonly url?: URL
  readonly isHtml?: boolean
  /** What it answered, when that was a failure. */
  readonly status?: number
  readonly error?: BowlineError
}

const noLinks: PageLinks = {
  links: [],
  title: undefined,
  description: undefined,
  sitemaps: [],
  feeds: [],
  isCut: false,
}

async function readStart(open: MapContext['open'], start: URL): Promise<StartPage> {
  try {
    await using answer = await open(start, maxPageBytes)
    if (answer.status >= 400) return { links: noLinks, status: answer.status }
    if (!answer.contentType.includes('html')) return { links: noLinks, url: answer.url }
    const links = await readPageLinks(decodeText(answer.chunks, answer.contentType), answer.url)
    return { links, url: answer.url, isHtml: true }
  } catch (error) {
    return { links: noLinks, error: asEgressError(start, error) }
  }
}

/** The first places that list anything: those that the site names, else where sitemaps usually are, else its feeds. */
async function readSitemaps(context: MapContext, start: URL, page: PageLinks): Promise<number> {
  const isSitemap = /\.(?:xml|txt)(?:\.gz)?$/i.test(start.pathname)
  const named = [...(isSitemap ? [start.href] : []), ...context.robots.sitemaps, ...page.sitemaps]
  for (const group of [named, ...usualSitemaps.map((path) => [path]), page.feeds]) {
    const urls = group.map((text) => URL.parse(text, start.href)).filter((url) => url !== null)
    const listed = await walkSitemaps(context, urls)
    if (listed > 0) return listed
  }
  return 0
}

/** Subdomains whose sitemaps are read. */
const maxSubdomains = 10

/** Reads the sitemaps of the subdomains that links and sitemaps led to. Returns how many pages they list. */
async function readSubdomainSitemaps(
  context: MapContext,
  start: URL,
  { includeSubdomains, filterByPath }: MapRequest,
): Promise<number> {
  if (!includeSubdomains || (filterByPath && folderOf(start) !== undefined)) return 0
  const isStart = (host: string): boolean => host.replace(/^www\./, '') === start.host.replace(/^www\./, '')
  const origins = new Set(
    context.links.links
      .map(({ url }) => new URL(url))
      .filter(({ host }) => !isStart(host))
      .map(({ origin }) => origin),
  )
  if (origins.size > maxSubdomains) {
    context.noteCut(`The sitemaps of ${maxSubdomains} of ${origins.size} subdomains were read.`)
  }
  const sitemaps = [...origins].slice(0, maxSubdomains).map(async (origin) => {
    const { sitemaps: named } = await readRobots(context.open, new URL(origin))
    const texts = named.length > 0 ? named : [usualSitemaps[0]]
    return texts.map((text) => URL.parse(text, origin)).filter((url) => url !== null)
  })
  return walkSitemaps(context, (await Promise.all(sitemaps)).flat())
}

async function present(
  request: MapRequest,
  found: Findings,
  {
    signal,
    isLate,
    fallsBackToSite,
  }: { readonly signal: AbortSignal; readonly isLate: boolean; readonly fallsBackToSite: boolean },
): Promise<SiteMap> {
  const { links: inside, outside } = found.context.links
  // A path with nothing under it is more likely a page than a folder.
  const isPage = fallsBackToSite && inside.length <= 1 && outside.length > 0
  const all = isPage ? [...inside, ...outside] : inside
  const ordered = request.search === undefined ? all : await orderByRelevance(all, request.search, { signal })
  const links = ordered.slice(0, request.limit).map(toLink)
  const warning = warningOf(request, found, { isPage, isLate, count: links.length })
  const warnings = [...(warning === undefined ? [] : [warning]), ...(links.length < request.limit ? found.cuts : [])]
  return { links, warning: warnings.length === 0 ? undefined : warnings.join(' ') }
}

function toLink({ url, title, description }: FoundLink): MapLink {
  return {
    url,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  }
}

function warningOf(
  { url, sitemap, limit }: MapRequest,
  { hasSitemap, isCut, status }: Findings,
  { isPage, isLate, count }: { readonly isPage: boolean; readonly isLate: boolean; readonly count: number },
): string | undefined {
  const { origin, pathname } = new URL(url)
  if (isLate) return `Looking ended after ${lookingMs / 1000} s, so there may be more pages.`
  if (status !== undefined && count === 0) return `${url} answered ${status}, and no page was found.`
  if (isPage) return `Nothing lies under ${pathname}, so pages elsewhere on ${origin} are listed.`
  if (sitemap === 'only' && !hasSitemap) return `No sitemap was found at ${origin}.`
  if (count <= 1 && pathname !== '/')
    return `${count === 0 ? 'No page' : 'Only 1 page'} was found. Mapping ${origin} may find more.`
  if (isCut && count < limit)
    return `${origin} has no sitemap, and only some of its pages were followed, so there may be more.`
  return undefined
}
