import { setImmediate as nextTurn } from 'node:timers/promises'
import { Parser } from 'htmlparser2'

/** A link of a page, with its absolute URL. */
export interface PageLink {
  readonly url: string
  /** Link text, at most 200 characters. */
  readonly text: string
}

/** Metadata and links of a page. */
export interface PageLinks {
  readonly links: readonly PageLink[]
  readonly title: string | undefined
  readonly description: string | undefined
  /** URLs of linked sitemaps and feeds. */
  readonly sitemaps: readonly string[]
  readonly feeds: readonly string[]
  /** Whether the page has more links than the maximum. */
  readonly isTruncated: boolean
}

/** Maximum number of links read from a page. */
export const maxLinks = 50_000
const maxTextLength = 200
/**
 * Maximum nesting depth, after which a new parser starts: closing an element at great depth is
 * slow.
 */
const maxDepth = 500

/** Milliseconds of work after which other tasks get their turn. */
const turnMs = 10

/**
 * Reads the links of an HTML page from a stream, with bounded nesting and number. `base` is the URL
 * of the page.
 */
export async function readPageLinks(chunks: AsyncIterable<string> | Iterable<string>, base: URL): Promise<PageLinks> {
  const reader = new PageReader(base)
  let parser = reader.createParser()
  let turnEndsMs = performance.now() + turnMs
  for await (const chunk of chunks) {
    parser.write(chunk)
    if (reader.depth > maxDepth) parser = reader.createParser()
    if (reader.isTruncated) break
    if (performance.now() < turnEndsMs) continue
    await nextTurn()
    turnEndsMs = performance.now() + turnMs
  }
  parser.end()
  return reader
}

class PageReader implements PageLinks {
  readonly links: { url: string; text: string }[] = []
  readonly sitemaps: string[] = []
  readonly feeds: string[] = []
  title: string | undefined
  description: string | undefined
  depth = 0
  isTruncated = false
  #base: URL
  #hasBase = false
  #text: { readonly of: 'title' | 'a'; value: string } | undefined

  constructor(base: URL) {
    this.#base = base
  }

  createParser(): Parser {
    this.depth = 0
    return new Parser({
      onopentag: (name, attributes) => {
        this.depth += 1
        this.#open(name, attributes)
      },
      ontext: (text) => {
        if (this.#text === undefined || this.#text.value.length > maxTextLength * 2) return
        this.#text.value += text.slice(0, maxTextLength * 2)
      },
      onclosetag: (name) => {
        this.depth -= 1
        if (this.#text?.of === name) this.#endText()
      },
    })
  }

  #open(name: string, attributes: Readonly<Record<string, string>>): void {
    const { href } = attributes
    if (name === 'base' && href !== undefined && !this.#hasBase) {
      this.#hasBase = true
      this.#base = URL.parse(href, this.#base.href) ?? this.#base
    } else if (name === 'a' || name === 'area') {
      this.#endText()
      const url = this.#absolute(href)
      if (url === undefined) return
      if (this.links.length >= maxLinks) {
        this.isTruncated = true
        return
      }
      this.links.push({ url, text: '' })
      if (name === 'a') this.#text = { of: 'a', value: '' }
    } else if (name === 'link') this.#readLinkElement(attributes)
    else if (name === 'title' && this.title === undefined && this.#text === undefined) {
      this.#text = { of: 'title', value: '' }
    } else if (name === 'meta' && /^(?:og:)?description$/i.test(attributes['name'] ?? attributes['property'] ?? '')) {
      this.description ??= oneLine(attributes['content'] ?? '')
    }
  }

  #readLinkElement(attributes: Readonly<Record<string, string>>): void {
    const url = this.#absolute(attributes['href'])
    if (url === undefined) return
    const relations = (attributes['rel'] ?? '').toLowerCase().split(/\s+/)
    if (relations.includes('sitemap')) this.sitemaps.push(url)
    else if (relations.includes('alternate') && /application\/(?:rss|atom)\+xml/i.test(attributes['type'] ?? '')) {
      this.feeds.push(url)
    } else if (['next', 'prev', 'canonical'].some((relation) => relations.includes(relation))) {
      this.links.push({ url, text: '' })
    }
  }

  #absolute(href: string | undefined): string | undefined {
    const text = href?.trim() ?? ''
    if (text === '' || text.startsWith('#') || text.length > 4096) return undefined
    return URL.parse(text, this.#base.href)?.href
  }

  #endText(): void {
    const text = this.#text
    this.#text = undefined
    const line = text === undefined ? undefined : oneLine(text.value)
    if (line === undefined) return
    if (text?.of === 'title') this.title ??= line
    const last = this.links.at(-1)
    if (text?.of === 'a' && last !== undefined) last.text = line
  }
}

function oneLine(text: string): string | undefined {
  const line = text.replaceAll(/\s+/g, ' ').trim().slice(0, maxTextLength)
  return line === '' ? undefined : line
}
