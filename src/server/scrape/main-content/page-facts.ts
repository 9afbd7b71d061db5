import type { Document, Element } from 'domhandler'
import { textOf, visitElements } from '../dom-nodes.ts'

/** What the head of a page and its structured data say about the page. */
export interface PageFacts {
  /** Words of the title, lower case. */
  readonly titleWords: ReadonlySet<string>
  /** Words of the description, lower case. */
  readonly descriptionWords: ReadonlySet<string>
  /** Words that structured data has as descriptions and bodies, as names, and as reviews; lower case. */
  readonly statedWords: Readonly<Record<'body' | 'name' | 'review', ReadonlySet<string>>>
  readonly isArticle: boolean
  readonly isProduct: boolean
  readonly isDiscussion: boolean
  readonly isCollection: boolean
  readonly isWebsite: boolean
}

const wordSet = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))

/** Reads the facts of a page from its meta elements and JSON-LD. */
export const readPageFacts = (document: Document): PageFacts => {
  const found = { title: '', description: '', kinds: '', body: '', name: '', review: '' }
  visitElements(document, (element) => {
    if (element.name === 'title' && found.title === '') found.title = textOf(element)
    else if (element.name === 'meta') readMeta(element, found)
    else if (element.name === 'script') {
      readStated(textOf(element), found)
      for (const match of textOf(element).matchAll(/"@type"\s*:\s*\[?\s*"([A-Za-z:/.]+)"/g))
        found.kinds += ` ld${match[1] ?? ''} `
    }
    const kind = element.attribs['itemtype']
    if (kind !== undefined) found.kinds += ` ld${kind.slice(kind.lastIndexOf('/') + 1)} `
  })
  return {
    titleWords: wordSet(found.title),
    descriptionWords: wordSet(found.description),
    statedWords: { body: wordSet(found.body), name: wordSet(found.name), review: wordSet(found.review) },
    isArticle: / ld(News|Blog|Tech|Scholarly)?(Article|Posting|Report) | article /i.test(found.kinds),
    isProduct: / ldProduct(Group)? | (og:)?product(\.item)? /i.test(found.kinds),
    isDiscussion: / ld(DiscussionForumPosting|QAPage|Question) /i.test(found.kinds),
    isCollection: / ld(ItemList|CollectionPage|SearchResultsPage|OfferCatalog) /i.test(found.kinds),
    isWebsite: / website /i.test(found.kinds),
  }
}

const statedKeys: Readonly<Record<string, 'body' | 'name' | 'review'>> = {
  description: 'body',
  articleBody: 'body',
  text: 'body',
  name: 'name',
  headline: 'name',
  reviewBody: 'review',
}

/** Reads texts from JSON-LD by their keys. It is often broken JSON, so it is searched rather than parsed. */
const readStated = (json: string, found: Record<'body' | 'name' | 'review', string>): void => {
  const texts = json
    .slice(0, 500_000)
    .matchAll(/"(description|articleBody|text|name|headline|reviewBody)"\s*:\s*"([^"\\]*(?:\\.[^"\\]*)*)"/g)
  for (const [, key = '', text = ''] of texts) {
    const kind = statedKeys[key]
    if (kind !== undefined) found[kind] += ` ${text.replace(/\\[nrt]|<[^>]*>|\\u003c.*?\\u003e/g, ' ')}`
  }
}

const readMeta = (element: Element, found: { title: string; description: string; kinds: string }): void => {
  const name = (element.attribs['property'] ?? element.attribs['name'] ?? '').toLowerCase()
  const content = element.attribs['content'] ?? ''
  if (name === 'og:title') found.title += ` ${content}`
  else if (name === 'description' || name === 'og:description') found.description += ` ${content}`
  else if (name === 'og:type') found.kinds += ` ${content} `
}
