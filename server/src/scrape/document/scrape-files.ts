import { Readable } from 'node:stream'
import type { Document } from 'bowline/contract/document'
import { deriveToken, equalSecrets, isUuid } from 'bowline/kit/ids'
import { BowlineError } from 'bowline/kit/errors'
import type { Blobs } from '../../store/blobs.ts'
import { findScrape } from '../../store/scrapes.ts'
import type { Store } from '../../store/store.ts'

/** A file that a scrape made, such as a screenshot. */
export interface MadeFile {
  readonly bytes: Uint8Array
  readonly type: 'image/png' | 'image/jpeg' | 'application/pdf'
}

/** Keeps the files of one scrape. */
export interface FileKeeper {
  /** Stores a file and answers its address, which works for 24 hours; a `data:` address when nothing may be kept. */
  readonly keep: (file: MadeFile) => Promise<string>
  readonly isEmpty: () => boolean
  /** Removes what was kept, after a scrape that failed. */
  readonly discard: () => Promise<void>
}

/** How long scrapes and their files can be read, in milliseconds. */
export const scrapeLifeMs = 24 * 3_600_000

const extensions = { 'image/png': 'png', 'image/jpeg': 'jpg', 'application/pdf': 'pdf' } as const

/** Opens the files of a scrape. `secret`: what its tokens are made from; undefined: nothing may be kept. */
export function openFileKeeper(
  blobs: Blobs,
  scrape: { readonly id: string; readonly baseUrl: string; readonly secret: string | undefined },
): FileKeeper {
  const names: string[] = []
  return {
    keep: async ({ bytes, type }) => {
      const { id, baseUrl, secret } = scrape
      if (secret === undefined) return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
      const name = `${names.length + 1}.${extensions[type]}`
      names.push(name)
      await blobs.write(blobKey(id, name), Readable.from([bytes]))
      return `${baseUrl}/files/scrape/${id}/${name}?token=${deriveToken(secret, name)}`
    },
    isEmpty: () => names.length === 0,
    discard: async () => {
      await Promise.all(names.map(async (name) => blobs.delete(blobKey(scrape.id, name))))
    },
  }
}

/** A stored document with the address of its screenshot on the host that this caller uses, not the one that another caller named. */
export function atBase(document: Document, baseUrl: string): Document {
  const path = /\/files\/scrape\/.*/.exec(document.screenshot ?? '')?.[0]
  return path === undefined ? document : { ...document, screenshot: `${baseUrl}${path}` }
}

/** Where a blob of a scrape lies. */
export function blobKey(id: string, name: string): string {
  return `scrapes/${id}/${name}`
}

/** A file that is sent to whoever knows its address. Throws SCRAPE_NOT_FOUND for a wrong token as for no file. */
export async function readScrapeFile(
  deps: { readonly store: Store; readonly blobs: Blobs },
  { id, name, token }: { readonly id: string; readonly name: string; readonly token: string },
): Promise<{ readonly type: string; readonly contents: Readable }> {
  const type = Object.entries(extensions).find(([, extension]) => name.endsWith(`.${extension}`))?.[0]
  const row = isUuid(id) && /^\d+\.\w+$/.test(name) ? await findScrape(deps.store.db, id) : undefined
  const isFresh = row !== undefined && Date.now() - row.createdAt.getTime() < scrapeLifeMs
  if (type === undefined || !isFresh || !equalSecrets(token, deriveToken(row.secret, name))) {
    throw new BowlineError('SCRAPE_NOT_FOUND', 'There is no such file, or its 24 hours are over')
  }
  return { type, contents: await deps.blobs.read(blobKey(id, name)) }
}
