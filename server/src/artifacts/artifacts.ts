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
} from '../store/artifacts.ts'
import type { Blobs } from '../store/blobs.ts'
import type { SessionRow } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'

/** Something to keep of a session. */
export interface NewArtifact {
  readonly kind: ArtifactRow['kind']
  readonly name: string
  /** What else is told of it, as an object. */
  readonly details: object
  readonly createdAt?: Date
  readonly lifeMs: number
  readonly contents: Readable
}

/** What of sessions is kept after their end, for a time. */
export class Artifacts {
  readonly #store: Store
  readonly #blobs: Blobs

  constructor({ store, blobs }: { readonly store: Store; readonly blobs: Blobs }) {
    this.#store = store
    this.#blobs = blobs
  }

  /** Keeps something of a session. Leaves nothing when it fails; a server that dies meanwhile leaves it to the sweep. */
  async keep(session: SessionRow, artifact: NewArtifact, signal: AbortSignal): Promise<void> {
    const { kind, name, details, lifeMs, contents, ...dated } = artifact
    const id = uuidV7()
    const expiresAt = new Date(Date.now() + lifeMs)
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
    // It may fail before the store of blobs listens, which hears of it all the same.
    contents.on('error', () => undefined)
    try {
      await this.#blobs.write(artifactBlob(id), contents, signal)
      await completeArtifact(this.#store.db, id, bytes)
    } catch (error) {
      contents.destroy()
      await this.#blobs.delete(artifactBlob(id)).catch(() => undefined)
      await removeArtifact(this.#store.db, id)
      throw error
    }
  }

  /** What is kept, oldest first. */
  async list(folder: ArtifactFolder): Promise<readonly ArtifactRow[]> {
    return listArtifacts(this.#store.db, folder)
  }

  /** Finds what is kept under a name. Throws FILE_NOT_FOUND. */
  async find(folder: ArtifactFolder, name: string): Promise<ArtifactRow> {
    const found = (await this.list(folder)).find((row) => row.name === name)
    if (found !== undefined) return found
    throw new BowlineError('FILE_NOT_FOUND', `The session has no ${folder.kind} ${JSON.stringify(name.slice(0, 200))}`)
  }

  /** The bytes of an artifact. */
  async read({ id }: ArtifactRow): Promise<Readable> {
    return this.#blobs.read(artifactBlob(id))
  }

  /** Deletes an artifact with its bytes. */
  async remove(id: string): Promise<void> {
    await this.#blobs.delete(artifactBlob(id))
    await removeArtifact(this.#store.db, id)
  }
}

function artifactBlob(id: string): string {
  return `artifacts/${id}`
}
