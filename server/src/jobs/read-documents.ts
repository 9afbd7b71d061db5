import type { Document } from 'bowline/contract/document'
import type { Scrapes } from '../scrape/scrapes.ts'
import { listCompletedPages } from '../store/job-pages.ts'
import type { Store } from '../store/store.ts'
import { roundOf, type Job } from './plan.ts'
import { showDocument } from './show-document.ts'

/** Some of the documents of a job. */
export interface Documents {
  readonly documents: readonly Document[]
  /** How many pages they are of: those whose documents were not kept count, too. */
  readonly read: number
}

/** Characters of documents after which an answer ends. */
const mostCharacters = 10 * 1024 * 1024

/** Documents that are held at a time without knowing how long they are. */
const step = 20

/** Reads documents of a job in the order they were completed, until there are `limit` or enough for one answer. */
export async function readDocuments(
  { store, scrapes }: { readonly store: Store; readonly scrapes: Pick<Scrapes, 'readMany'> },
  job: Job,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Promise<Documents> {
  const pages = await listCompletedPages(store.db, job.id, { skip, limit })
  const documents: Document[] = []
  let characters = 0
  let read = 0
  for (let start = 0; start < pages.length; start += step) {
    const some = pages.slice(start, start + step)
    const found = await scrapes.readMany(some.map(({ scrapeId }) => scrapeId))
    for (const page of some) {
      const document = found.get(page.scrapeId)
      const shown = document && showDocument(document, roundOf(job, page.round))
      characters += JSON.stringify(shown ?? '').length
      if (characters > mostCharacters && documents.length > 0) return { documents, read }
      if (shown !== undefined) documents.push(shown)
      read += 1
    }
  }
  return { documents, read }
}
