import type { Readable } from 'node:stream'
import { BowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import {
  addArtifact,
  completeArtifact,
  listArtifacts,
  removeArtifact,
  type ArtifactKind,
  type ArtifactRow,
} from './artifact-queries.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import type { Store } from '../store/store.ts'
import { retryDuringOutage } from '../store/retry-during-outage.ts'

/** Data to store with a session as an artifact. */
export interface NewArtifact<Details> {
  readonly name: string
  /** Further properties. */
  readonly details: Details
  readonly createdAt?: Date
  readonly retentionMs: number
  readonly contents: Readable
}

/** Dependencies of `Artifacts`. */
export interface ArtifactsDeps {
  readonly store: Store
  readonly blobs: Blobs
  readonly onError: (error: unknown, action: string) => void
}

/** Stores files, recordings and other data of sessions for a time after they end. */
export class Artifacts {
  readonly #store: Store
  readonly #blobs: Blobs
  readonly #onError: ArtifactsDeps['onError']

  constructor({ store, blobs, onError }: ArtifactsDeps) {
    this.#store = store
    this.#blobs = blobs
    this.#onError = onError
  }

  /**
   * Stores an artifact, also if the database does not respond for up to 30 seconds. Leaves nothing
   * behind if it fails; after a crash, the sweep removes the rest.
   */
  async store<Details>(
    kind: ArtifactKind<Details>,
    session: SessionRow,
    artifact: NewArtifact<Details>,
    signal: AbortSignal,
  ): Promise<void> {
    const { name, details, retentionMs, contents, ...dated } = artifact
    const id = uuidV7()
    const expiresAt = new Date(Date.now() + retentionMs)
    const owner = { teamId: session.teamId, sessionId: session.id }
    const row = { id, ...owner, name, details, expiresAt, ...dated }
    let bytes = 0
    contents.on('data', (chunk: Buffer) => (bytes += chunk.length))
    contents.pause()
    // The stream may fail before the blob store listens for errors. In that case its `write`
    // rejects as well.
    contents.on('error', () => undefined)
    try {
      await retryDuringOutage(async () => addArtifact(this.#store.db, kind, row), { ...outage, signal })
      await this.#blobs.write(artifactBlob(id), contents, signal)
      await retryDuringOutage(async () => completeArtifact(this.#store.db, id, bytes), { ...outage, signal })
    } catch (error) {
      contents.destroy()
      // Throw the error of the write. What remains is removed by the sweep.
      await this.remove(id).catch(() => undefined)
      throw error
    }
  }

  /** Lists the artifacts of a session, oldest first. */
  async list<Details>(kind: ArtifactKind<Details>, sessionId: string): Promise<readonly ArtifactRow<Details>[]> {
    return listArtifacts(this.#store.db, kind, sessionId, (error) => this.#onError(error, `listing a ${kind.kind}`))
  }

  /** Finds an artifact by name. Throws FILE_NOT_FOUND. */
  async find<Details>(kind: ArtifactKind<Details>, sessionId: string, name: string): Promise<ArtifactRow<Details>> {
    const found = (await this.list(kind, sessionId)).find((row) => row.name === name)
    if (found !== undefined) return found
    throw new BowlineError('FILE_NOT_FOUND', `The session has no ${kind.kind} ${JSON.stringify(name.slice(0, 200))}`)
  }

  /** Opens a stream of an artifact's contents. */
  async read({ id }: Pick<ArtifactRow, 'id'>): Promise<Readable> {
    return this.#blobs.read(artifactBlob(id))
  }

  /** Deletes an artifact and its contents. */
  async remove(id: string): Promise<void> {
    await this.#blobs.delete(artifactBlob(id))
    await removeArtifact(this.#store.db, id)
  }
}

/** Limits of retries in milliseconds. */
const outage = { everyMs: 500, maxMs: 30_000 } as const

function artifactBlob(id: string): string {
  return `artifacts/${id}`
}
