import { decodeText, gunzipIfNeeded } from './decode.ts'
import { drainQueue } from './drain-queue.ts'
import type { MapContext } from './map-context.ts'
import { readSitemap, type SitemapEntry } from './read-sitemap.ts'

/** Limits of one map. The sitemap protocol allows 50 MB and 50,000 URLs per sitemap. */
const defaultBounds = { sitemapBytes: 64e6, totalBytes: 512e6, sitemaps: 1000, depth: 3, concurrency: 4 }

/** Options of `walkSitemaps`. */
export interface WalkOptions {
  /** Whether the site names the sitemaps, so that they should exist. Default: `false`. */
  readonly areNamed?: boolean | undefined
  /** Default: those of the protocol. */
  readonly bounds?: Bounds | undefined
}

/** The pages that sitemaps list. */
export interface ListedPages {
  readonly count: number
  /** Whether any sitemap was found, even if it lists no page. */
  readonly hasSitemap: boolean
}

/**
 * Collects the pages of sitemaps and of the sitemaps they name, up to 3 levels deep. Sitemap
 * indexes may only lead to their own host and to the site. A broken sitemap yields the pages before
 * the error, with a warning.
 */
export async function walkSitemaps(
  context: MapContext,
  starts: readonly URL[],
  { areNamed = false, bounds = defaultBounds }: WalkOptions = {},
): Promise<ListedPages> {
  const walk = new SitemapWalk(context, { bounds, areNamed })
  for (const url of starts) walk.enqueue({ url, depth: 0 })
  await drainQueue(walk.queue, {
    concurrency: bounds.concurrency,
    canContinue: () => walk.canContinue,
    work: async (step) => walk.read(step),
  })
  walk.warnOfUnreadable()
  return { count: walk.pages, hasSitemap: walk.hasSitemap }
}

type Bounds = Readonly<typeof defaultBounds>

interface Step {
  readonly url: URL
  readonly depth: number
}

class SitemapWalk {
  readonly queue: Step[] = []
  pages = 0
  hasSitemap = false
  readonly #context: MapContext
  readonly #bounds: Bounds
  readonly #areNamed: boolean
  readonly #seen = new Set<string>()
  readonly #unreadable: string[] = []
  #bytes = 0

  constructor(context: MapContext, { bounds, areNamed }: { readonly bounds: Bounds; readonly areNamed: boolean }) {
    this.#context = context
    this.#bounds = bounds
    this.#areNamed = areNamed
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
    const { href } = step.url
    const file = { entries: 0, isLong: false }
    const isComplete = await this.#readFile(step, file).catch(() => false)
    if (isComplete || file.isLong || !this.canContinue) return
    const { entries } = file
    if (entries > 0) this.#context.addWarning(`${href} is incomplete: it breaks off after ${entries} entries.`)
    else if (this.#areNamed || step.depth > 0) this.#unreadable.push(href)
  }

  /** Returns whether the whole file was read. Pages listed before an error are kept. */
  async #readFile(step: Step, file: { entries: number; isLong: boolean }): Promise<boolean> {
    const { sitemapBytes } = this.#bounds
    const addOmission = (what: string): void => {
      file.isLong = true
      this.#context.addWarning(what)
    }
    const onTruncated = (): void =>
      addOmission(`${step.url.href} is longer than ${sitemapBytes / 1e6} MB: the rest was omitted.`)
    await using response = await this.#context.open(step.url, sitemapBytes, { addOmission })
    if (response.status >= 400) return false
    const chunks = this.#counted(gunzipIfNeeded(response.chunks, sitemapBytes, onTruncated))
    const isCut = await readSitemap(decodeText(chunks, response.contentType), (entry) => {
      file.entries += 1
      if (file.entries === 1) for (const url of [step.url, response.url]) this.#context.links.leaveOut(url)
      this.hasSitemap = true
      return this.#addEntry(entry, step, response.url)
    })
    return !isCut
  }

  /** Adds a warning about the named sitemaps that could not be read. */
  warnOfUnreadable(): void {
    const [first] = this.#unreadable
    if (first === undefined) return
    const others = this.#unreadable.length - 1
    const what = others === 0 ? first : `${first} and ${others} other ${others === 1 ? 'sitemap' : 'sitemaps'}`
    this.#context.addWarning(`${what} could not be read.`)
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
