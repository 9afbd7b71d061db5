import type { Document } from 'bowline/contract/document'
import type { Scrapes } from '../scrape/scrapes.ts'
import { listCompletedPages } from './job-page-queries.ts'
import type { Store } from '../store/store.ts'
import { submissionOf, type Job } from './plan.ts'
import { showDocument } from './show-document.ts'

/** A range of the documents of a job. */
export interface Documents {
  readonly documents: readonly Document[]
  /** Number of pages read, including those without a stored document. */
  readonly pagesRead: number
}

/** Maximum number of characters of documents in one response. */
const maxCharacters = 10 * 1024 * 1024

/** Number of packed documents loaded at once. */
const batchSize = 20

/** Number of documents unpacked at once before their size is known. Each can have 100 MB. */
const unpackedAtOnce = 4

/**
 * Reads documents of a job in order of completion, up to `limit` or the maximum size of a response.
 */
export async function readDocuments(
  { store, scrapes }: { readonly store: Store; readonly scrapes: Pick<Scrapes, 'findMany'> },
  job: Job,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Promise<Documents> {
  const pages = await listCompletedPages(store.db, job.id, { skip, limit })
  const documents: Document[] = []
  let characters = 0
  let pagesRead = 0
  for (const some of chunksOf(pages, batchSize)) {
    const found = await scrapes.findMany(some.map(({ scrapeId }) => scrapeId))
    for (const next of chunksOf(some, unpackedAtOnce)) {
      const unpacked = await Promise.all(next.map(async ({ scrapeId }) => found.get(scrapeId)?.()))
      for (const [index, page] of next.entries()) {
        const document = unpacked[index]
        const shown = document && showDocument(document, submissionOf(job, page.round))
        characters += JSON.stringify(shown ?? '').length
        if (characters > maxCharacters && documents.length > 0) return { documents, pagesRead }
        if (shown !== undefined) documents.push(shown)
        pagesRead += 1
      }
    }
  }
  return { documents, pagesRead }
}

function* chunksOf<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
