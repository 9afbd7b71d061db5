import { fillPath } from 'bowline/contract/fill-path'
import { serverRoutes } from 'bowline/contract/server-routes'
import { Readable } from 'node:stream'
import type { Document } from 'bowline/contract/document'
import { dayMs } from 'bowline/kit/day-ms'
import { deriveToken, equalSecrets, isUuid } from 'bowline/kit/ids'
import { BowlineError } from 'bowline/kit/errors'
import type { Blobs } from '../../blobs/blobs.ts'
import { findScrape } from '../queries/scrapes.ts'
import type { Store } from '../../store/store.ts'
import type { CapturedFile } from '../render/capture.ts'

/** Files of one scrape, such as screenshots. */
export interface ScrapeFiles {
  /**
   * Stores a file and returns its URL, valid for 24 hours. Returns a `data:` URL if nothing may be
   * stored.
   */
  readonly save: (file: CapturedFile) => Promise<string>
  readonly isEmpty: () => boolean
  /** Deletes the stored files, after a scrape that failed. */
  readonly discard: () => Promise<void>
}

/** How long scrapes and their files can be downloaded, in milliseconds. */
export const scrapeTtlMs = dayMs

const extensions = { 'image/png': 'png', 'image/jpeg': 'jpg', 'application/pdf': 'pdf' } as const

/**
 * Opens the files of a scrape. Download tokens are derived from `secret`. Without one, nothing is
 * stored.
 */
export function openScrapeFiles(
  blobs: Blobs,
  scrape: { readonly id: string; readonly baseUrl: string; readonly secret: string | undefined },
): ScrapeFiles {
  const names: string[] = []
  return {
    save: async ({ bytes, type }) => {
      const { id, baseUrl, secret } = scrape
      if (secret === undefined) return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
      const name = `${names.length + 1}.${extensions[type]}`
      names.push(name)
      await blobs.write(blobKey(id, name), Readable.from([bytes]))
      return `${baseUrl}${fillPath(serverRoutes.scrapeFile.path, { id, name })}?token=${deriveToken(secret, name)}`
    },
    isEmpty: () => names.length === 0,
    discard: async () => {
      await Promise.all(names.map(async (name) => blobs.delete(blobKey(scrape.id, name))))
    },
  }
}

const filePath = new RegExp(`${serverRoutes.scrapeFile.path.replaceAll(/\{\w+\}/g, '[^/]+')}.*`)

/** Rewrites the screenshot URL of a stored document to the host name that this caller uses. */
export function withBaseUrl(document: Document, baseUrl: string): Document {
  const path = filePath.exec(document.screenshot ?? '')?.[0]
  return path === undefined ? document : { ...document, screenshot: `${baseUrl}${path}` }
}

/** Folder of the blobs of all scrapes. */
export const scrapeFolder = 'scrapes'

/** Returns the key of a scrape's blob. */
export function blobKey(id: string, name: string): string {
  return `${scrapeFolder}/${id}/${name}`
}

/** A file of a scrape. */
export interface ScrapeFile {
  readonly type: string
  /** Key of its blob. */
  readonly blobKey: string
}

/**
 * Finds a file of a scrape. Throws SCRAPE_NOT_FOUND for a missing or expired file, and for a wrong
 * token.
 */
export async function findScrapeFile(
  db: Store['db'],
  { id, name, token }: { readonly id: string; readonly name: string; readonly token: string },
): Promise<ScrapeFile> {
  const type = Object.entries(extensions).find(([, extension]) => name.endsWith(`.${extension}`))?.[0]
  const row = isUuid(id) && /^\d+\.\w+$/.test(name) ? await findScrape(db, id) : undefined
  const isFresh = row !== undefined && Date.now() - row.createdAt.getTime() < scrapeTtlMs
  if (type === undefined || !isFresh || !equalSecrets(token, deriveToken(row.secret, name))) {
    throw new BowlineError('SCRAPE_NOT_FOUND', 'The file does not exist, or is older than 24 hours')
  }
  return { type, blobKey: blobKey(id, name) }
}
