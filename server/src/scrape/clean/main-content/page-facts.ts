import type { Document, Element } from 'domhandler'
import { textOf, visitElements } from '../../parse/dom-nodes.ts'

/** Facts from the head of a page and its structured data. */
export interface PageFacts {
  /** Words of the title, lower case. */
  readonly titleWords: ReadonlySet<string>
  /** Words of the description, lower case. */
  readonly descriptionWords: ReadonlySet<string>
  /** Words of the descriptions and bodies in structured data, lower case. */
  readonly structuredWords: ReadonlySet<string>
  /** Words of the reviews in structured data, lower case. */
  readonly reviewWords: ReadonlySet<string>
  readonly isArticle: boolean
  readonly isProduct: boolean
  readonly isDiscussion: boolean
  readonly isCollection: boolean
  readonly isWebsite: boolean
}

/** Reads facts from `<meta>` elements, JSON-LD and microdata. */
export function readPageFacts(document: Document): PageFacts {
  const found = { title: '', description: '', kinds: '', structured: '', reviews: '' }
  visitElements(document, (element) => {
    if (element.name === 'title' && found.title === '') found.title = textOf(element)
    else if (element.name === 'meta') readMeta(element, found)
    else if (element.name === 'script') {
      for (const match of textOf(element).matchAll(/"@type"\s*:\s*\[?\s*"([A-Za-z:/.]+)"/g))
        found.kinds += ` ld${match[1] ?? ''} `
      if (/ld\+json/i.test(element.attribs['type'] ?? '')) readStructured(textOf(element), found)
    }
    const kind = element.attribs['itemtype']
    if (kind !== undefined) found.kinds += ` ld${kind.slice(kind.lastIndexOf('/') + 1)} `
  })
  return {
    titleWords: wordSet(found.title),
    descriptionWords: wordSet(found.description),
    structuredWords: wordSet(found.structured),
    reviewWords: wordSet(found.reviews),
    isArticle: / ld(News|Blog|Tech|Scholarly)?(Article|Posting|Report) | article /i.test(found.kinds),
    isProduct: / ldProduct(Group)? | (og:)?product(\.item)? /i.test(found.kinds),
    isDiscussion: / ld(DiscussionForumPosting|QAPage|Question) /i.test(found.kinds),
    isCollection: / ld(ItemList|CollectionPage|SearchResultsPage|OfferCatalog) /i.test(found.kinds),
    isWebsite: / website /i.test(found.kinds),
  }
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))
}

const structured = /"(description|articleBody|text|reviewBody)"\s*:\s*"((?:[^"\\]|\\.){20,8000})"/g

function readStructured(source: string, found: { structured: string; reviews: string }): void {
  for (const [, key, text = ''] of source.matchAll(structured)) {
    const plain = text.replace(/\\u[0-9a-f]{4}|\\.|<[^>]*>|&\w+;/gi, ' ')
    if (key === 'reviewBody') found.reviews += ` ${plain}`
    else found.structured += ` ${plain}`
  }
}

function readMeta(element: Element, found: { title: string; description: string; kinds: string }): void {
  const name = (element.attribs['property'] ?? element.attribs['name'] ?? '').toLowerCase()
  const content = element.attribs['content'] ?? ''
  if (name === 'og:title') found.title += ` ${content}`
  else if (name === 'description' || name === 'og:description') found.description += ` ${content}`
  else if (name === 'og:type') found.kinds += ` ${content} `
}
