import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { extensionLimits } from 'bowline/contract/extensions'
import { BowlineError } from 'bowline/kit/errors'
import { isUuid, uuidV7 } from 'bowline/kit/ids'
import type { Blobs } from '../blobs/blobs.ts'
import type { Store } from '../store/store.ts'
import { Semaphore } from '../kit/semaphore.ts'
import { checkFiles, openPackage, readName, unpackTo } from './extension-package.ts'
import {
  addExtension,
  completeExtension,
  listExtensions,
  removeExtension,
  type ExtensionRow,
} from './extension-queries.ts'
import { runtimeIdOf } from './manifest.ts'

/** Dependencies of `Extensions`. */
export interface ExtensionsDeps {
  readonly store: Store
  readonly blobs: Blobs
  /** Maximum number of extensions of a team. */
  readonly maxExtensions: number
  readonly onError: (error: unknown, action: string) => void
}

/** An extension that a browser loads. */
export interface LoadableExtension {
  /** Value of `chrome.runtime.id`. */
  readonly runtimeId: string
  /** Whether Chromium writes into its folder. */
  readonly needsWrite: boolean
  /** Writes its files to an empty folder. Throws EXTENSION_INVALID. */
  readonly unpack: (folder: string) => Promise<void>
}

/** The browser extensions that teams have uploaded. */
export class Extensions {
  readonly #deps: ExtensionsDeps
  /** By team. Uploads are in memory as a whole. Those that wait are not read. */
  readonly #uploads = new Map<string, Semaphore>()

  constructor(deps: ExtensionsDeps) {
    this.#deps = deps
  }

  /**
   * Checks and stores an extension. Throws EXTENSION_INVALID, EXTENSION_QUOTA_EXCEEDED or
   * PAYLOAD_TOO_LARGE.
   */
  async upload(teamId: string, body: Readable, announcedBytes: number | undefined): Promise<ExtensionRow> {
    using _slot = await this.#uploadSlot(teamId)
    const zip = await readBody(body, announcedBytes)
    const id = uuidV7()
    const opened = await openPackage(zip, id)
    await checkFiles(opened)
    const contentBytes = [...opened.files.values()].reduce((sum, { size }) => sum + size, 0)
    const { version } = opened.manifest
    const row = { id, teamId, name: await readName(opened), version, bytes: zip.length, contentBytes }
    const { store, blobs, maxExtensions } = this.#deps
    const { isAdded, abandoned } = await addExtension(store.db, row, maxExtensions)
    await Promise.all(abandoned.map(async (each) => this.#deleteBlob(each)))
    if (!isAdded) {
      throw new BowlineError('EXTENSION_QUOTA_EXCEEDED', `A team can have at most ${maxExtensions} extensions`)
    }
    try {
      await blobs.write(blobOf(id), Readable.from([zip]))
      const stored = await completeExtension(store.db, id)
      if (stored !== undefined) return stored
      throw notFound(id)
    } catch (error) {
      await this.#deleteBlob(id)
      await removeExtension(store.db, { teamId, id })
      throw error
    }
  }

  /** Lists the extensions of a team, newest first. */
  async list(teamId: string): Promise<readonly ExtensionRow[]> {
    return listExtensions(this.#deps.store.db, { teamId })
  }

  /** Finds an extension. Throws EXTENSION_NOT_FOUND. */
  async get(teamId: string, id: string): Promise<ExtensionRow> {
    const [row] = isUuid(id) ? await listExtensions(this.#deps.store.db, { teamId, ids: [id] }) : []
    if (row === undefined) throw notFound(id)
    return row
  }

  /** Deletes an extension. Throws EXTENSION_NOT_FOUND. */
  async delete(teamId: string, id: string): Promise<void> {
    await this.get(teamId, id)
    await removeExtension(this.#deps.store.db, { teamId, id })
    await this.#deleteBlob(id)
  }

  /** Prepares extensions for a session, in this order. Throws BAD_REQUEST for an unknown id. */
  async prepare(teamId: string, ids: readonly string[]): Promise<readonly LoadableExtension[]> {
    const rows = ids.length === 0 ? [] : await listExtensions(this.#deps.store.db, { teamId, ids })
    return Promise.all(ids.map(async (id, index) => this.#prepare(rows, id, index)))
  }

  async #prepare(rows: readonly ExtensionRow[], id: string, index: number): Promise<LoadableExtension> {
    if (!rows.some((row) => row.id === id)) {
      throw new BowlineError('BAD_REQUEST', `\`extensions[${index}]\`: the team has no extension ${id}`, {
        hint: 'Upload it with `bowline extensions upload ZIP`. `bowline extensions list` shows the ids.',
      })
    }
    // Checked again: an earlier version of the server may have allowed more.
    const opened = await openPackage(await buffer(await this.#deps.blobs.read(blobOf(id))), id)
    return {
      runtimeId: runtimeIdOf(id),
      needsWrite: opened.manifest.hasRulesets,
      unpack: async (folder) => unpackTo(folder, opened),
    }
  }

  async #uploadSlot(teamId: string): Promise<Disposable> {
    const slots = this.#uploads.get(teamId) ?? new Semaphore(maxUploadsAtOnce)
    this.#uploads.set(teamId, slots)
    return slots.acquire()
  }

  /** Never rejects. */
  async #deleteBlob(id: string): Promise<void> {
    await this.#deps.blobs
      .delete(blobOf(id))
      .catch((error: unknown) => this.#deps.onError(error, 'deleting an extension'))
  }
}

/** Uploads of one team that are read at once. */
const maxUploadsAtOnce = 2

function blobOf(id: string): string {
  return `extensions/${id}`
}

function notFound(id: string): BowlineError {
  return new BowlineError('EXTENSION_NOT_FOUND', `The team has no extension ${JSON.stringify(id.slice(0, 100))}`)
}

async function readBody(body: Readable, announcedBytes = 0): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = announcedBytes
  try {
    if (bytes > extensionLimits.zipBytes) throw tooLarge()
    bytes = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > extensionLimits.zipBytes) throw tooLarge()
      chunks.push(chunk)
    }
  } finally {
    body.destroy()
  }
  return Buffer.concat(chunks)
}

function tooLarge(): BowlineError {
  return new BowlineError('PAYLOAD_TOO_LARGE', `The zip has more than ${extensionLimits.zipBytes / 1e6} MB`, {
    hint: 'Remove files that the extension does not need, such as source maps.',
  })
}
