import { pageKeyOf } from 'bowline/kit/canonical-url'
import { decodeText } from './decode.ts'
import { drainQueue } from './drain-queue.ts'
import { LinkQueue, type Step } from './link-queue.ts'
import type { MapContext } from './map-context.ts'
import { maxLinks, readPageLinks, type PageLinks } from './page-links.ts'
import type { Robots } from './robots.ts'

/** Maximum number of bytes read from a page. */
export const maxPageBytes = 5e6

/** Limits of following links. */
const bounds = {
  pages: 50,
  depth: 20,
  concurrency: 4,
  timeMs: 15_000,
  pageMs: 5000,
  queued: 2000,
  robotsMs: 1000,
} as const

const assetExtension =
  /\.(?:jpe?g|png|gif|webp|avif|svg|ico|css|m?js|json|xml|gz|zip|tar|pdf|docx?|xlsx?|pptx?|mp[34]|webm|woff2?)$/i

/**
 * Follows the links of a page for at most 50 pages, 20 levels and 15 s (5 s per page), respecting
 * robots.txt, and collects the pages they lead to. Used for sites without a sitemap. Returns
 * whether all links were followed.
 */
export async function walkPages(context: MapContext, start: URL, page: PageLinks): Promise<boolean> {
  const walk = new PageWalk(context)
  walk.markSeen(start)
  walk.collect(page, start, 1)
  await drainQueue(walk.queue, {
    concurrency: bounds.concurrency,
    canContinue: () => walk.canContinue,
    work: async (step) => walk.read(step),
  })
  return walk.isComplete
}

/** Returns the warning for a page with more links than are read. */
export function tooManyLinks(url: URL): string {
  return `${url.href} has more than ${maxLinks.toLocaleString('en')} links: the rest was omitted.`
}

class PageWalk {
  readonly queue = new LinkQueue()
  readonly #context: MapContext
  readonly #seen = new Set<string>()
  readonly #endsAtMs = performance.now() + bounds.timeMs
  #pages = 0
  #robotsMs = 0
  #hasSkipped = false

  constructor(context: MapContext) {
    this.#context = context
  }

  get canContinue(): boolean {
    return !this.#isOver && !this.#context.links.isFull && this.#pages < bounds.pages
  }

  /** Whether all links were followed. */
  get isComplete(): boolean {
    return this.queue.length === 0 && !this.#hasSkipped && !this.#isOver
  }

  get #isOver(): boolean {
    return this.#context.signal.aborted || performance.now() >= this.#endsAtMs
  }

  markSeen(url: URL): void {
    this.#seen.add(pageKeyOf(url))
  }

  /** Collects the links of a page, and queues those to follow. */
  collect(page: PageLinks, base: URL, depth: number): void {
    const { links, site, robots, addWarning } = this.#context
    if (page.isTruncated) addWarning(tooManyLinks(base))
    for (const { url: address, text } of page.links) {
      links.add(address, { text }, base)
      const url = URL.parse(address)
      if (url === null || !/^https?:$/.test(url.protocol)) continue
      if (assetExtension.test(url.pathname) || !site.includes(url)) continue
      url.hash = ''
      if (this.#seen.has(pageKeyOf(url))) continue
      this.markSeen(url)
      if (depth > bounds.depth || this.queue.length >= bounds.queued || this.#robotsMs >= bounds.robotsMs)
        this.#hasSkipped = true
      else if (this.#mayFollow(url, robots)) this.queue.push({ url, depth })
    }
  }

  /**
   * Checks robots.txt. The total time is limited, since thousands of links may meet thousands of
   * rules.
   */
  #mayFollow(url: URL, robots: Robots): boolean {
    const startedAtMs = performance.now()
    try {
      return robots.allows(url)
    } finally {
      this.#robotsMs += performance.now() - startedAtMs
    }
  }

  get #pageTimeoutMs(): number {
    return Math.ceil(Math.max(1, Math.min(bounds.pageMs, this.#endsAtMs - performance.now())))
  }

  /** Reads a page. Never rejects, because unreadable pages are skipped. */
  async read(step: Step): Promise<void> {
    const { url, depth } = step
    const { links } = this.#context
    this.#pages += 1
    try {
      await using response = await this.#context.open(url, maxPageBytes, {
        timeoutMs: this.#pageTimeoutMs,
        checkRedirect: this.#context.checkRobots,
      })
      if (
        response.status >= 400 ||
        !response.contentType.includes('html') ||
        !this.#context.site.includes(response.url)
      )
        return
      const page = await readPageLinks(decodeText(response.chunks, response.contentType), response.url)
      const { title, description } = page
      const before = links.size
      links.add(response.url.href, { title, description })
      this.collect(page, response.url, depth + 1)
      this.queue.record(step, links.size - before)
    } catch {
      // The link to it is listed anyway.
    }
  }
}
