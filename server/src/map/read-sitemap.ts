import { Parser } from 'htmlparser2'
import { maxUrlLength } from 'bowline/kit/canonical-url'

/** An entry of a sitemap or feed: a page, or another sitemap. */
export interface SitemapEntry {
  readonly kind: 'page' | 'sitemap'
  /** As written, trimmed. */
  readonly url: string
  readonly title?: string | undefined
  readonly description?: string | undefined
}

/** Maximum length of titles and descriptions in characters. */
const maxTextLength = 300

/** Maximum nesting depth. Deeper documents are hostile or not sitemaps. */
const maxDepth = 32

/**
 * Reads a sitemap, a sitemap index, an RSS or Atom feed, or a plain list of URLs from a stream.
 * `onEntry` returns whether to continue. Entities defined by the document are not expanded, and
 * malformed markup only affects its own entry. Returns whether the document ends before its last
 * element is closed.
 */
export async function readSitemap(
  chunks: AsyncIterable<string>,
  onEntry: (entry: SitemapEntry) => boolean,
): Promise<boolean> {
  let reader: SitemapReader | undefined
  for await (const chunk of chunks) {
    if (reader === undefined) {
      const first = chunk.trimStart()
      if (first === '') continue
      reader = first.startsWith('<') ? createXmlReader(onEntry) : createListReader(onEntry)
    }
    if (!reader.write(chunk)) return false
  }
  return reader?.end() ?? false
}

interface SitemapReader {
  /** Returns whether to continue. */
  readonly write: (chunk: string) => boolean
  /** Returns whether the document is cut off. */
  readonly end: () => boolean
}

function createListReader(onEntry: (entry: SitemapEntry) => boolean): SitemapReader {
  let rest = ''
  let canContinue = true
  const take = (line: string): void => {
    const url = line.trim()
    if (canContinue && /^https?:\/\//i.test(url) && url.length <= maxUrlLength)
      canContinue = onEntry({ kind: 'page', url })
  }
  return {
    write: (chunk) => {
      const lines = (rest + chunk).split(/[\r\n]+/)
      rest = lines.pop() ?? ''
      // Truncate endless lines. No URL starts in their middle.
      if (rest.length > maxUrlLength) rest = `${rest.slice(0, maxUrlLength)} `
      for (const line of lines) take(line)
      return canContinue
    },
    end: () => {
      take(rest)
      return false
    },
  }
}

/** Elements that contain one entry, and its kind. */
const entryElements: ReadonlyMap<string, SitemapEntry['kind']> = new Map([
  ['url', 'page'],
  ['sitemap', 'sitemap'],
  ['item', 'page'],
  ['entry', 'page'],
])

const rootElements: ReadonlySet<string> = new Set(['urlset', 'sitemapindex', 'rss', 'feed'])

/** Returns the field of an entry that an element holds, by its name and that of its parent. */
function fieldOf(name: string, parent: string): 'url' | 'title' | 'description' | undefined {
  if (name === 'loc') return parent === 'url' || parent === 'sitemap' ? 'url' : undefined
  if (name === 'link') return parent === 'item' ? 'url' : undefined
  if (name === 'title') return parent === 'item' || parent === 'entry' || parent === 'news' ? 'title' : undefined
  if (name === 'description' || name === 'summary') {
    return parent === 'item' || parent === 'entry' ? 'description' : undefined
  }
  return undefined
}

function createXmlReader(onEntry: (entry: SitemapEntry) => boolean): SitemapReader {
  const path: string[] = []
  let canContinue = true
  let entry: { url?: string; title?: string; description?: string } = {}
  let field: { readonly name: 'url' | 'title' | 'description'; readonly depth: number; text: string } | undefined

  const emit = (kind: SitemapEntry['kind']): void => {
    const url = entry.url?.trim() ?? ''
    if (url === '' || url.length > maxUrlLength) return
    canContinue = onEntry({ kind, url, title: plainText(entry.title), description: plainText(entry.description) })
  }
  const parser = new Parser(
    {
      onopentag: (tag, attributes) => {
        const name = localName(tag)
        const parent = path.at(-1) ?? ''
        path.push(name)
        if (path.length > maxDepth) canContinue = false
        if (entryElements.has(name)) entry = {}
        const fieldName = field === undefined ? fieldOf(name, parent) : undefined
        if (fieldName !== undefined) field = { name: fieldName, depth: path.length, text: '' }
        else if (name === 'link' && parent === 'entry') entry.url = linkOfEntry(entry.url, attributes)
      },
      ontext: (text) => {
        const maxLength = field?.name === 'url' ? maxUrlLength * 2 : maxTextLength * 4
        if (field !== undefined && field.text.length < maxLength)
          field.text += text.slice(0, maxLength - field.text.length)
      },
      onclosetag: (tag) => {
        if (field !== undefined && field.depth === path.length) {
          if (field.text.trim() !== '') entry[field.name] ??= field.text
          field = undefined
        }
        path.pop()
        const kind = entryElements.get(localName(tag))
        if (kind === undefined) return
        if (canContinue) emit(kind)
        entry = {}
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  return {
    write: (chunk) => {
      parser.write(chunk)
      return canContinue
    },
    end: () => {
      // A truncated document ends with half a URL.
      if (field !== undefined) canContinue = false
      // Elements of other documents, such as HTML pages, may stay open.
      const isCut = rootElements.has(path[0] ?? '')
      parser.end()
      return isCut
    },
  }
}

/** Returns the URL of an Atom entry: its first link without a relation to something else. */
function linkOfEntry(known: string | undefined, attributes: Readonly<Record<string, string>>): string {
  return known ?? (['alternate', undefined].includes(attributes['rel']) ? (attributes['href'] ?? '') : '')
}

function localName(tag: string): string {
  return tag.slice(tag.indexOf(':') + 1).toLowerCase()
}

/** Strips markup, which feeds contain, and collapses white space. */
function plainText(text: string | undefined): string | undefined {
  const line = text
    ?.replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, maxTextLength)
  return line === '' ? undefined : line
}
