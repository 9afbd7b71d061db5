import type { Generated } from 'kysely'
import type { Nullable, Timestamp } from './columns.ts'

/** A page in the search index. */
export interface IndexedPageTable {
  readonly teamId: string
  /** SHA-256 of the URL. */
  readonly urlHash: Buffer
  readonly url: string
  readonly title: string
  readonly description: string
  readonly body: string
  /** `tsvector` of its texts and search keys. */
  readonly words: string
  /** Publication date according to the page, else when its current text was first scraped. */
  readonly datedAt: Timestamp
  readonly scrapedAt: Timestamp
  /** Characters of its texts. Null: its words are not counted yet. */
  readonly length: Nullable<number>
}

/** How many pages of a team contain a word, or have one of the counted search keys. */
export interface IndexedWordTable {
  readonly teamId: string
  /** Lexeme of a text search configuration, or a search key. */
  readonly word: string
  readonly pages: number
}

/** Pages by which the counts of words changed. */
export interface IndexedWordChangeTable {
  readonly id: Generated<string>
  readonly teamId: string
  readonly words: readonly string[]
  readonly counts: readonly number[]
}
