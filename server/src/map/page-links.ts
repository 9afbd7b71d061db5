import { Parser } from 'htmlparser2'

/** A link of a page, as an absolute address. */
export interface PageLink {
  readonly url: string
  /** Its words on the page, at most 200 characters. */
  readonly text: string
}

/** What a page says about itself and where it leads. */
export interface PageLinks {
  readonly links: readonly PageLink[]
  readonly title: string | undefined
  readonly description: string | undefined
  /** Addresses of the sitemaps and of the feeds it names. */
  readonly sitemaps: readonly string[]
  readonly feeds: readonly string[]
  /** Whether the page has more links than are read. */
  readonly isCut: boolean
}

/** Links of one page that are read. */
export const maxLinks = 50_000
const maxTextLength = 200
/** Elements open at once, after which the parser starts anew: closing one among many gets slow. */
const maxDepth = 500

/** Reads the links of an HTML page as it comes, nesting and number bounded. `base` is where it was found. */
export async function readPageLinks(pieces: AsyncIterable<string> | Iterable<string>, base: URL): Promise<PageLinks> {
  const reader = new PageReader(base)
  let parser = reader.createParser()
  for await (const piece of pieces) {
    parser.write(piece)
    if (reader.depth > maxDepth) parser = reader.createParser()
    if (reader.isCut) break
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
  isCut = false
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
        this.isCut = true
        return
      }
      this.links.push({ url, text: '' })
      if (name === 'a') this.#text = { of: 'a', value: '' }
    } else if (name === 'link') this.#relate(attributes)
    else if (name === 'title' && this.title === undefined && this.#text === undefined) {
      this.#text = { of: 'title', value: '' }
    } else if (name === 'meta' && /^(?:og:)?description$/i.test(attributes['name'] ?? attributes['property'] ?? '')) {
      this.description ??= oneLine(attributes['content'] ?? '')
    }
  }

  #relate(attributes: Readonly<Record<string, string>>): void {
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
