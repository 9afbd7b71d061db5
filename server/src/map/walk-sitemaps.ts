import { decodeText, gunzipIfNeeded } from './decode.ts'
import { drainQueue } from './drain-queue.ts'
import type { MapContext } from './map-context.ts'
import { readSitemap, type SitemapEntry } from './read-sitemap.ts'

/** Limits of one map. The sitemap protocol allows 50 MB and 50,000 URLs per sitemap. */
const defaultBounds = { sitemapBytes: 64e6, totalBytes: 512e6, sitemaps: 1000, depth: 3, concurrency: 4 }

/**
 * Collects the pages of sitemaps and of the sitemaps they name, up to 3 levels deep. Sitemap
 * indexes may only lead to their own host and to the site. A broken sitemap yields the pages before
 * the error. Returns the number of pages listed.
 */
export async function walkSitemaps(
  context: MapContext,
  starts: readonly URL[],
  bounds: Bounds = defaultBounds,
): Promise<number> {
  const walk = new SitemapWalk(context, bounds)
  for (const url of starts) walk.enqueue({ url, depth: 0 })
  await drainQueue(walk.queue, {
    concurrency: bounds.concurrency,
    canContinue: () => walk.canContinue,
    work: async (step) => walk.read(step),
  })
  return walk.pages
}

type Bounds = Readonly<typeof defaultBounds>

interface Step {
  readonly url: URL
  readonly depth: number
}

class SitemapWalk {
  readonly queue: Step[] = []
  pages = 0
  readonly #context: MapContext
  readonly #bounds: Bounds
  readonly #seen = new Set<string>()
  #bytes = 0

  constructor(context: MapContext, bounds: Bounds) {
    this.#context = context
    this.#bounds = bounds
  }

  get canContinue(): boolean {
    const { signal, links } = this.#context
    return !signal.aborted && !links.isFull && this.#bytes < this.#bounds.totalBytes
  }

  enqueue(step: Step): void {
    const { depth, sitemaps } = this.#bounds
    if (this.#seen.has(step.url.href)) return
    if (this.#seen.size >= sitemaps || step.depth > depth) {
      const limit = step.depth > depth ? `${depth} levels deep` : `${sitemaps} of them`
      this.#context.addWarning(`Sitemaps were read up to ${limit}: the rest was omitted.`)
      return
    }
    this.#seen.add(step.url.href)
    this.queue.push(step)
  }

  /** Reads a sitemap. Never rejects, because one unreadable sitemap must not affect the others. */
  async read(step: Step): Promise<void> {
    const { sitemapBytes } = this.#bounds
    const onTruncated = (): void =>
      this.#context.addWarning(`${step.url.href} is longer than ${sitemapBytes / 1e6} MB: the rest was omitted.`)
    try {
      await using response = await this.#context.open(step.url, sitemapBytes)
      if (response.status >= 400) return
      const chunks = this.#counted(gunzipIfNeeded(response.chunks, sitemapBytes, onTruncated))
      await readSitemap(decodeText(chunks, response.contentType), (entry) => this.#addEntry(entry, step, response.url))
    } catch {
      // Pages listed before the error are kept.
    }
  }

  #addEntry(entry: SitemapEntry, step: Step, foundAt: URL): boolean {
    const { links, site } = this.#context
    if (entry.kind === 'page') {
      this.pages += 1
      const { title, description } = entry
      links.add(entry.url, { title, description }, foundAt)
    } else {
      const url = URL.parse(entry.url, foundAt.href)
      if (url !== null && /^https?:$/.test(url.protocol) && (site.includes(url) || url.host === foundAt.host)) {
        this.enqueue({ url, depth: step.depth + 1 })
      }
    }
    return this.canContinue
  }

  async *#counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#bytes += chunk.byteLength
      if (this.#bytes >= this.#bounds.totalBytes) {
        const limit = `${this.#bounds.totalBytes / 1e6} MB in total`
        this.#context.addWarning(`Sitemaps were read up to ${limit}: the rest was omitted.`)
      }
      yield chunk
      if (!this.canContinue) return
    }
  }
}
