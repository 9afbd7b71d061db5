import type { Readable } from 'node:stream'
import { BowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import {
  addArtifact,
  completeArtifact,
  listArtifacts,
  removeArtifact,
  type ArtifactFolder,
  type ArtifactRow,
} from './artifact-queries.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import type { Store } from '../store/store.ts'

/** Data to store with a session as an artifact. */
export interface NewArtifact {
  readonly kind: ArtifactRow['kind']
  readonly name: string
  /** Further properties, stored as a JSON object. */
  readonly details: object
  readonly createdAt?: Date
  readonly retentionMs: number
  readonly contents: Readable
}

/** Stores files, recordings and other data of sessions for a time after they end. */
export class Artifacts {
  readonly #store: Store
  readonly #blobs: Blobs

  constructor({ store, blobs }: { readonly store: Store; readonly blobs: Blobs }) {
    this.#store = store
    this.#blobs = blobs
  }

  /**
   * Stores an artifact. Leaves nothing behind if it fails; after a crash, the sweep removes the
   * rest.
   */
  async store(session: SessionRow, artifact: NewArtifact, signal: AbortSignal): Promise<void> {
    const { kind, name, details, retentionMs, contents, ...dated } = artifact
    const id = uuidV7()
    const expiresAt = new Date(Date.now() + retentionMs)
    const owner = { teamId: session.teamId, sessionId: session.id }
    await addArtifact(this.#store.db, {
      id,
      ...owner,
      kind,
      name,
      details: JSON.stringify(details),
      expiresAt,
      ...dated,
    })
    let bytes = 0
    contents.on('data', (chunk: Buffer) => (bytes += chunk.length))
    contents.pause()
    // The stream may fail before the blob store listens for errors. In that case its `write`
    // rejects as well.
    contents.on('error', () => undefined)
    try {
      await this.#blobs.write(artifactBlob(id), contents, signal)
      await completeArtifact(this.#store.db, id, bytes)
    } catch (error) {
      contents.destroy()
      // Throw the error of the write.
      await this.#blobs.delete(artifactBlob(id)).catch(() => undefined)
      await removeArtifact(this.#store.db, id)
      throw error
    }
  }

  /** Lists the artifacts of a session, oldest first. */
  async list(folder: ArtifactFolder): Promise<readonly ArtifactRow[]> {
    return listArtifacts(this.#store.db, folder)
  }

  /** Finds an artifact by name. Throws FILE_NOT_FOUND. */
  async find(folder: ArtifactFolder, name: string): Promise<ArtifactRow> {
    const found = (await this.list(folder)).find((row) => row.name === name)
    if (found !== undefined) return found
    throw new BowlineError('FILE_NOT_FOUND', `The session has no ${folder.kind} ${JSON.stringify(name.slice(0, 200))}`)
  }

  /** Opens a stream of an artifact's contents. */
  async read({ id }: ArtifactRow): Promise<Readable> {
    return this.#blobs.read(artifactBlob(id))
  }

  /** Deletes an artifact and its contents. */
  async remove(id: string): Promise<void> {
    await this.#blobs.delete(artifactBlob(id))
    await removeArtifact(this.#store.db, id)
  }
}

function artifactBlob(id: string): string {
  return `artifacts/${id}`
}
