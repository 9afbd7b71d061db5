import type { ScrapedPage } from '../../../server/src/scrape/document/scraped-page.ts'
import { wordsOf } from '../../../server/src/kit/words-of.ts'
import { cleanPage } from '../../../server/src/scrape/clean/clean-page.ts'
import { treeToMarkdown } from '../../../server/src/scrape/format/markdown/to-markdown.ts'
import { extractMetadata } from '../../../server/src/scrape/parse/metadata.ts'
import { parsePage } from '../../../server/src/scrape/parse/parsed-page.ts'
import { plainText } from '../../../server/src/search/plain-text.ts'
import type { LabelledPage } from '../content/pages.ts'
import { misspell } from './misspell.ts'

/** A query, and the URL of the one page it was taken from. */
export interface LabelledQuery {
  readonly query: string
  readonly misspelt: string
  readonly url: string
}

/** Pages to index, and the queries that were taken out of them. */
export interface LabelledSearch {
  readonly pages: readonly Omit<ScrapedPage, 'teamId'>[]
  readonly queries: readonly LabelledQuery[]
}

/** Words that a query must have, so that it describes its page. */
const words = { least: 3, most: 12 } as const

/**
 * Makes queries from the titles and headings of pages. What became a query is removed from its
 * page, and paths are removed from URLs, so the rest of the text must answer it: half of its words
 * occur there. Pages take turns: one is asked by its title, the next by a heading.
 */
export function makeLabelledSearch(labelled: readonly LabelledPage[]): LabelledSearch {
  const pages: Omit<ScrapedPage, 'teamId'>[] = []
  const queries: LabelledQuery[] = []
  const asked = new Set<string>()
  for (const { id, url, html } of labelled) {
    const page = readPage({ id, url, html })
    const taken = takeQuery(page, queries.length % 2 === 0)
    pages.push(taken?.rest ?? page)
    if (taken === undefined || asked.has(taken.query)) continue
    asked.add(taken.query)
    queries.push({ query: taken.query, misspelt: misspell(taken.query), url: page.url })
  }
  return { pages, queries }
}

type Page = Omit<ScrapedPage, 'teamId'>

function readPage({ id, url, html }: Pick<LabelledPage, 'id' | 'url' | 'html'>): Page {
  const parsed = parsePage(html, url)
  const metadata = extractMetadata(parsed)
  cleanPage(parsed)
  const host = URL.parse(url)?.host ?? 'unknown.example'
  return { url: `https://${host}/${id}`, markdown: treeToMarkdown(parsed), metadata }
}

function takeQuery(page: Page, prefersTitle: boolean): { readonly query: string; readonly rest: Page } | undefined {
  const candidates = prefersTitle ? [titleOf(page), ...headingsOf(page)] : [...headingsOf(page), titleOf(page)]
  for (const text of candidates) {
    const query = wordsOf(text).join(' ')
    const count = query.split(' ').length
    if (count < words.least || count > words.most) continue
    const rest = without(page, query)
    if (isAnswered(query, rest)) return { query, rest }
  }
  return undefined
}

/** The title without the name of the site. */
function titleOf({ metadata }: Page): string {
  return fieldOf(metadata, 'title').split(/\s[-|·–—»:]+\s|\s*[|»]\s*/)[0] ?? ''
}

function headingsOf({ markdown }: Page): readonly string[] {
  return Array.from(markdown.matchAll(/^#{2,3} +(.+)$/gm), ([, text = '']) => plainText(text))
}

/** Removes a query's text from the title, and the lines of a page that contain nothing else. */
function without(page: Page, query: string): Page {
  const { markdown, metadata } = page
  const isQuery = (text: string): boolean => wordsOf(plainText(text)).join(' ') === query
  const hasTitle = !wordsOf(fieldOf(metadata, 'title')).join(' ').includes(query)
  return {
    ...page,
    markdown: markdown
      .split('\n')
      .filter((line) => !isQuery(line))
      .join('\n'),
    metadata: { ...metadata, title: hasTitle ? fieldOf(metadata, 'title') : '' },
  }
}

function isAnswered(query: string, { markdown, metadata }: Page): boolean {
  const text = `${fieldOf(metadata, 'title')} ${fieldOf(metadata, 'description')} ${markdown}`
  const known = new Set(wordsOf(text))
  const long = query.split(' ').filter((word) => word.length > 2)
  return long.length > 1 && long.filter((word) => known.has(word)).length >= long.length / 2
}

function fieldOf(metadata: Page['metadata'], name: string): string {
  const value = metadata[name]
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? first : ''
}
