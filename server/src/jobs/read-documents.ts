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

/** Number of documents loaded at once before their size is known. */
const batchSize = 20

/**
 * Reads documents of a job in order of completion, up to `limit` or the maximum size of a response.
 */
export async function readDocuments(
  { store, scrapes }: { readonly store: Store; readonly scrapes: Pick<Scrapes, 'readMany'> },
  job: Job,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Promise<Documents> {
  const pages = await listCompletedPages(store.db, job.id, { skip, limit })
  const documents: Document[] = []
  let characters = 0
  let pagesRead = 0
  for (let start = 0; start < pages.length; start += batchSize) {
    const some = pages.slice(start, start + batchSize)
    const found = await scrapes.readMany(some.map(({ scrapeId }) => scrapeId))
    for (const page of some) {
      const document = found.get(page.scrapeId)
      const shown = document && showDocument(document, submissionOf(job, page.round))
      characters += JSON.stringify(shown ?? '').length
      if (characters > maxCharacters && documents.length > 0) return { documents, pagesRead }
      if (shown !== undefined) documents.push(shown)
      pagesRead += 1
    }
  }
  return { documents, pagesRead }
}
