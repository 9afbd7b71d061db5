import { Parser } from 'htmlparser2'
import { maxUrlLength } from 'bowline/kit/canonical-url'

/** What a sitemap or feed lists: a page, or another sitemap. */
export interface SitemapEntry {
  readonly kind: 'page' | 'sitemap'
  /** As written, without white space around it. */
  readonly url: string
  readonly title?: string | undefined
  readonly description?: string | undefined
}

/** Longest title and description that are kept, in characters. */
const maxTextLength = 300

/** No sitemap nests deeper; what does is hostile or no sitemap. */
const maxDepth = 32

/**
 * Reads a sitemap, a sitemap index, an RSS or Atom feed, or a plain list of addresses, as it comes. `onEntry` answers whether
 * to go on. Entities that a document defines are not expanded, broken markup costs no more than its own entry.
 */
export async function readSitemap(
  pieces: AsyncIterable<string>,
  onEntry: (entry: SitemapEntry) => boolean,
): Promise<void> {
  let reader: SitemapReader | undefined
  for await (const piece of pieces) {
    if (reader === undefined) {
      const first = piece.trimStart()
      if (first === '') continue
      reader = first.startsWith('<') ? createXmlReader(onEntry) : createListReader(onEntry)
    }
    if (!reader.write(piece)) return
  }
  reader?.end()
}

interface SitemapReader {
  /** Answers whether to go on. */
  readonly write: (piece: string) => boolean
  readonly end: () => void
}

function createListReader(onEntry: (entry: SitemapEntry) => boolean): SitemapReader {
  let rest = ''
  let goesOn = true
  const take = (line: string): void => {
    const url = line.trim()
    if (goesOn && /^https?:\/\//i.test(url) && url.length <= maxUrlLength) goesOn = onEntry({ kind: 'page', url })
  }
  return {
    write: (piece) => {
      const lines = (rest + piece).split(/[\r\n]+/)
      rest = lines.pop() ?? ''
      // A line without end must not be kept; no address starts in its middle.
      if (rest.length > maxUrlLength) rest = `${rest.slice(0, maxUrlLength)} `
      for (const line of lines) take(line)
      return goesOn
    },
    end: () => take(rest),
  }
}

/** Elements that hold one entry, and the kind of it. */
const holders: ReadonlyMap<string, SitemapEntry['kind']> = new Map([
  ['url', 'page'],
  ['sitemap', 'sitemap'],
  ['item', 'page'],
  ['entry', 'page'],
])

/** Which part of an entry an element is, by its name and that of its parent. */
function partOf(name: string, parent: string): 'url' | 'title' | 'description' | undefined {
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
  let goesOn = true
  let entry: { url?: string; title?: string; description?: string } = {}
  let part: { readonly name: 'url' | 'title' | 'description'; readonly depth: number; text: string } | undefined

  const emit = (kind: SitemapEntry['kind']): void => {
    const url = entry.url?.trim() ?? ''
    if (url === '' || url.length > maxUrlLength) return
    goesOn = onEntry({ kind, url, title: plainText(entry.title), description: plainText(entry.description) })
  }
  const parser = new Parser(
    {
      onopentag: (tag, attributes) => {
        const name = localName(tag)
        const parent = path.at(-1) ?? ''
        path.push(name)
        if (path.length > maxDepth) goesOn = false
        if (holders.has(name)) entry = {}
        const wanted = part === undefined ? partOf(name, parent) : undefined
        if (wanted !== undefined) part = { name: wanted, depth: path.length, text: '' }
        else if (name === 'link' && parent === 'entry') entry.url = linkOfEntry(entry.url, attributes)
      },
      ontext: (text) => {
        const room = part?.name === 'url' ? maxUrlLength * 2 : maxTextLength * 4
        if (part !== undefined && part.text.length < room) part.text += text.slice(0, room - part.text.length)
      },
      onclosetag: (tag) => {
        if (part !== undefined && part.depth === path.length) {
          if (part.text.trim() !== '') entry[part.name] ??= part.text
          part = undefined
        }
        path.pop()
        const kind = holders.get(localName(tag))
        if (kind === undefined) return
        if (goesOn) emit(kind)
        entry = {}
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  return {
    write: (piece) => {
      parser.write(piece)
      return goesOn
    },
    end: () => {
      // What the end cut off is half an address.
      if (part !== undefined) goesOn = false
      parser.end()
    },
  }
}

/** The address an Atom entry is about: its first link that is no copy, comment or attachment. */
function linkOfEntry(known: string | undefined, attributes: Readonly<Record<string, string>>): string {
  return known ?? (['alternate', undefined].includes(attributes['rel']) ? (attributes['href'] ?? '') : '')
}

function localName(tag: string): string {
  return tag.slice(tag.indexOf(':') + 1).toLowerCase()
}

/** Text as one line; feeds put markup into theirs. */
function plainText(text: string | undefined): string | undefined {
  const line = text
    ?.replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, maxTextLength)
  return line === '' ? undefined : line
}
