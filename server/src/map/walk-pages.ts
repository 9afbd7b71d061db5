import { pageKeyOf } from 'bowline/kit/canonical-url'
import { decodeText } from './decode.ts'
import { drainQueue } from './drain-queue.ts'
import type { MapContext } from './map-context.ts'
import { maxLinks, readPageLinks, type PageLinks } from './page-links.ts'
import type { Robots } from './robots.ts'

/** Bytes of a page that are read. */
export const maxPageBytes = 5e6

/** Bounds of one walk. */
const bounds = { pages: 50, depth: 3, concurrency: 4, timeMs: 15_000, queued: 2000, judgingMs: 1000 } as const

const noPage =
  /\.(?:jpe?g|png|gif|webp|avif|svg|ico|css|m?js|json|xml|gz|zip|tar|pdf|docx?|xlsx?|pptx?|mp[34]|webm|woff2?)$/i

/**
 * Follows the links of a page for at most 50 pages, 3 deep and 15 s, as far as robots.txt allows, and collects what they lead
 * to. For sites without a sitemap. Answers whether it came to its end.
 */
export async function walkPages(context: MapContext, start: URL, page: PageLinks): Promise<boolean> {
  const walk = new PageWalk(context)
  walk.skip(start)
  walk.take(page, start, 1)
  await drainQueue(walk.queue, {
    concurrency: bounds.concurrency,
    goesOn: () => walk.goesOn,
    work: async (step) => walk.read(step),
  })
  return walk.queue.length === 0
}

interface Step {
  readonly url: URL
  readonly depth: number
}

/** The sentence for a page with more links than are read. */
export function tooManyLinks(url: URL): string {
  return `${url.href} has more than ${maxLinks.toLocaleString('en')} links: the rest was left out.`
}

class PageWalk {
  readonly queue: Step[] = []
  readonly #context: MapContext
  readonly #seen = new Set<string>()
  readonly #signal: AbortSignal
  #pages = 0
  #judgingMs = 0

  constructor(context: MapContext) {
    this.#context = context
    this.#signal = AbortSignal.any([context.signal, AbortSignal.timeout(bounds.timeMs)])
  }

  get goesOn(): boolean {
    return !this.#signal.aborted && !this.#context.links.isFull && this.#pages < bounds.pages
  }

  skip(url: URL): void {
    this.#seen.add(pageKeyOf(url))
  }

  /** Collects the links of a page, and queues those that may be followed. */
  take(page: PageLinks, base: URL, depth: number): void {
    const { links, site, robots, noteCut } = this.#context
    if (page.isCut) noteCut(tooManyLinks(base))
    for (const { url: address, text } of page.links) {
      links.add(address, { text }, base)
      const url = URL.parse(address)
      if (url === null || !/^https?:$/.test(url.protocol) || depth > bounds.depth) continue
      if (this.queue.length >= bounds.queued || noPage.test(url.pathname) || !site.includes(url)) continue
      url.hash = ''
      if (this.#seen.has(pageKeyOf(url))) continue
      this.skip(url)
      if (this.#judgingMs < bounds.judgingMs && this.#mayFollow(url, robots)) this.queue.push({ url, depth })
    }
  }

  /** A page has thousands of links and a robots.txt thousands of rules: the time that they take together is bounded. */
  #mayFollow(url: URL, robots: Robots): boolean {
    const startedAtMs = performance.now()
    try {
      return robots.allows(url)
    } finally {
      this.#judgingMs += performance.now() - startedAtMs
    }
  }

  /** Never rejects: a page that cannot be read leads nowhere. */
  async read({ url, depth }: Step): Promise<void> {
    this.#pages += 1
    try {
      await using answer = await this.#context.open(url, maxPageBytes)
      if (answer.status >= 400 || !answer.contentType.includes('html') || !this.#context.site.includes(answer.url))
        return
      const page = await readPageLinks(decodeText(answer.chunks, answer.contentType), answer.url)
      const { title, description } = page
      this.#context.links.add(answer.url.href, { title, description })
      this.take(page, answer.url, depth + 1)
    } catch {
      // The link to it is listed all the same.
    }
  }
}
