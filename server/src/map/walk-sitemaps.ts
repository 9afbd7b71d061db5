import { decodeText, unpack } from './decode.ts'
import { drainQueue } from './drain-queue.ts'
import type { MapContext } from './map-context.ts'
import { readSitemap, type SitemapEntry } from './read-sitemap.ts'

/** Bounds of one map. The protocol allows 50 MB and 50,000 addresses a sitemap. */
const defaultBounds = { sitemapBytes: 64e6, totalBytes: 512e6, sitemaps: 1000, depth: 3, concurrency: 4 }

/**
 * Collects the pages of sitemaps and of the sitemaps they name, to a depth of 3, each once. Indexes lead to their own host and
 * to the site alone. A sitemap that is missing or broken yields what came before the break. Answers how many pages were listed.
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
    goesOn: () => walk.goesOn,
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

  get goesOn(): boolean {
    const { signal, links } = this.#context
    return !signal.aborted && !links.isFull && this.#bytes < this.#bounds.totalBytes
  }

  enqueue(step: Step): void {
    const { depth, sitemaps } = this.#bounds
    if (this.#seen.has(step.url.href)) return
    if (this.#seen.size >= sitemaps || step.depth > depth) {
      const limit = step.depth > depth ? `${depth} levels deep` : `${sitemaps} of them`
      this.#context.noteCut(`Sitemaps were read up to ${limit}: the rest was left out.`)
      return
    }
    this.#seen.add(step.url.href)
    this.queue.push(step)
  }

  /** Never rejects: one sitemap that cannot be read must not cost the others. */
  async read(step: Step): Promise<void> {
    const { sitemapBytes } = this.#bounds
    const onCut = (): void =>
      this.#context.noteCut(`${step.url.href} is longer than ${sitemapBytes / 1e6} MB: the rest was left out.`)
    try {
      await using answer = await this.#context.open(step.url, sitemapBytes)
      if (answer.status >= 400) return
      const chunks = this.#counted(unpack(answer.chunks, sitemapBytes, onCut))
      await readSitemap(decodeText(chunks, answer.contentType), (entry) => this.#take(entry, step, answer.url))
    } catch {
      // What it listed before it broke is kept.
    }
  }

  #take(entry: SitemapEntry, step: Step, foundAt: URL): boolean {
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
    return this.goesOn
  }

  async *#counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#bytes += chunk.byteLength
      if (this.#bytes >= this.#bounds.totalBytes) {
        const limit = `${this.#bounds.totalBytes / 1e6} MB in total`
        this.#context.noteCut(`Sitemaps were read up to ${limit}: the rest was left out.`)
      }
      yield chunk
      if (!this.goesOn) return
    }
  }
}
