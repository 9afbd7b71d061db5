import { setImmediate } from 'node:timers/promises'
import { dayMs } from 'bowline/kit/day-ms'
import { urlWithoutFragment } from '../kit/url-without-fragment.ts'
import { runEvery } from '../kit/run-every.ts'
import { databaseTime } from '../store/database-time.ts'
import type { IndexPage, ScrapedPage } from '../scrape/document/scraped-page.ts'
import { deleteUnusedWords } from './word-count-queries.ts'
import { findIndexed, saveIndexedPages, sweepIndexedPages, type IndexedPage } from './indexed-page-queries.ts'
import type { Store } from '../store/store.ts'
import { TsVectors } from './tsvectors.ts'
import { textSearchLanguage } from './text-search-language.ts'
import { keysOf } from './index-keys.ts'
import { plainText } from './plain-text.ts'
import { wordsOfUrl } from './words.ts'
import { WordCounter } from './word-counter.ts'

/** Dependencies and size of the index. */
export interface PageIndexerDeps {
  readonly store: Store
  /** Maximum pages per team. The oldest are removed first. */
  readonly maxPages: number
  readonly onError: (error: unknown, action: string) => void
}

/** Milliseconds after its last scrape that a page is removed. */
const retentionMs = 30 * dayMs
const sweepEveryMs = 3_600_000
const maxWaiting = { pages: 1000, characters: 8_000_000 } as const

/** Pages and characters per statement. More would block the connection of the embedded store. */
const maxWritten = { pages: 32, characters: 60_000 } as const
const maxMarkdown = 100_000
const maxBody = 30_000

/**
 * Adds scraped pages to the search index in the background, without delaying scrapes.
 * Disposing writes the queued pages.
 */
export class PageIndexer implements AsyncDisposable {
  readonly #deps: PageIndexerDeps
  readonly #waiting: ScrapedPage[] = []
  readonly #sweep: AsyncDisposable
  readonly #vectors: TsVectors | undefined
  readonly #counter: WordCounter
  #waitingCharacters = 0
  #writing: Promise<void> | undefined

  constructor(deps: PageIndexerDeps) {
    this.#deps = deps
    // A PostgreSQL server computes text vectors fast, in its own process.
    this.#vectors = deps.store.kind === 'pglite' ? new TsVectors(deps.store.db) : undefined
    this.#sweep = runEvery(sweepEveryMs, async () => this.sweep(), {
      onError: (error) => deps.onError(error, 'removing old pages from the search index'),
    })
    this.#counter = new WordCounter(deps.store, (error) => deps.onError(error, 'counting words of the search index'))
  }

  /** Queues a page for indexing. If the queue is full, the oldest queued pages are dropped. */
  readonly add: IndexPage = (page) => {
    this.#waiting.push({ ...page, url: urlWithoutFragment(page.url) })
    this.#waitingCharacters += page.markdown.length
    if (this.#waiting.length > maxWaiting.pages) this.#dequeue(1)
    while (this.#waitingCharacters > maxWaiting.characters && this.#waiting.length > 1) this.#dequeue(1)
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
  }

  /** Resolves when every page added so far is indexed, and its words are counted. */
  async waitForPending(): Promise<void> {
    await this.#writing
    await this.#counter.count()
  }

  /** Removes old pages, and pages over the limit of their team. */
  async sweep(now?: Date): Promise<void> {
    const { db } = this.#deps.store
    const before = new Date((now ?? (await databaseTime(db))).getTime() - retentionMs)
    while (await sweepIndexedPages(db, { before, perTeam: this.#deps.maxPages })) continue
    await this.#counter.countAll()
    await deleteUnusedWords(db)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sweep[Symbol.asyncDispose]()
    await this.waitForPending()
    await this.#counter[Symbol.asyncDispose]()
  }

  /** Removes the oldest pages from the queue. */
  #dequeue(count: number): readonly ScrapedPage[] {
    const pages = this.#waiting.splice(0, count)
    for (const { markdown } of pages) this.#waitingCharacters -= markdown.length
    return pages
  }

  async #write(): Promise<void> {
    // Pages that share a commit are added one after another.
    await setImmediate()
    while (this.#waiting.length > 0) {
      const pages = lastOfEach(this.#dequeue(countToWrite(this.#waiting)))
      try {
        const { db } = this.#deps.store
        // A part of a page does not replace the whole page.
        const known = new Set(
          await findIndexed(
            db,
            pages.filter(({ isPartial }) => isPartial === true),
          ),
        )
        const fresh = pages.filter((page) => !known.has(page)).map(toIndexed)
        if (fresh.length > 0) await saveIndexedPages(db, fresh, this.#vectors)
        await this.#counter.noteWrite()
      } catch (error) {
        this.#deps.onError(error, `indexing ${pages.length} pages`)
      }
    }
  }
}

/** Counts the first pages that fit into a statement, at least one. */
function countToWrite(pages: readonly ScrapedPage[]): number {
  let characters = 0
  const end = pages.findIndex(({ markdown }, index) => {
    characters += Math.min(markdown.length, maxBody)
    return index === maxWritten.pages || (index > 0 && characters > maxWritten.characters)
  })
  return end === -1 ? pages.length : end
}

/** Keeps only the last version of each page, of the whole page if there is one. */
function lastOfEach(pages: readonly ScrapedPage[]): readonly ScrapedPage[] {
  const last = new Map<string, ScrapedPage>()
  for (const page of pages) {
    const key = `${page.teamId} ${page.url}`
    const earlier = last.get(key)
    if (page.isPartial === true && earlier !== undefined && earlier.isPartial !== true) continue
    last.delete(key)
    last.set(key, page)
  }
  return [...last.values()]
}

function toIndexed({ teamId, url, markdown, metadata }: ScrapedPage): IndexedPage {
  const title = textOf(metadata['title']).slice(0, 500)
  const description = textOf(metadata['description']).slice(0, 1000)
  const body = clean(plainText(markdown.slice(0, maxMarkdown))).slice(0, maxBody)
  const isPdf = textOf(metadata['contentType']).includes('pdf') || /\.pdf$/i.test(URL.parse(url)?.pathname ?? '')
  const language = textOf(metadata['language'])
  const configuration = textSearchLanguage(language === '' ? undefined : language)
  return {
    teamId,
    url,
    title,
    description,
    body,
    path: wordsOfUrl(url).join(' '),
    configuration,
    keys: keysOf({ teamId, url, title, configuration, isPdf }),
    publishedAt: dateOf(metadata['publishedTime'] ?? metadata['modifiedTime']),
  }
}

function textOf(value: unknown): string {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? clean(first).trim() : ''
}

/** Removes null characters and lone surrogates, which PostgreSQL rejects. */
function clean(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

function dateOf(value: unknown): Date | undefined {
  const date = new Date(textOf(value))
  const isKnown = !Number.isNaN(date.getTime()) && date.getTime() <= Date.now() && date.getUTCFullYear() > 1970
  return isKnown ? date : undefined
}
