import { createHmac } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { BowlineError } from 'bowline/kit/errors'
import { equalSecrets, isUuid, randomSecret, uuidV7 } from 'bowline/kit/ids'
import { parseJson } from 'bowline/kit/parse-json'
import { z } from 'zod'
import type { Blobs } from '../../blobs/blobs.ts'
import type { Store } from '../../store/store.ts'
import type { UploadedFile } from '../load/document-reader.ts'
import {
  addUpload,
  deleteOldUploads,
  deleteUpload,
  findUpload,
  moveUpload,
  type UploadChange,
  type UploadRow,
} from './upload-queries.ts'

/** Dependencies of `ParseUploads`. */
export interface ParseUploadsDeps {
  readonly store: Store
  readonly blobs: Blobs
}

/** A file to upload. */
export interface NewUpload {
  readonly id: string
  /** Signed reference of the file, which is opaque to clients. */
  readonly uploadRef: string
  readonly expiresAt: Date
}

/** Time in which a file must be uploaded and parsed, in milliseconds. */
const lifetimeMs = 600_000

/** Files that a team can upload in 24 hours without parsing them. */
const maxUnparsed = 10

const reference = z.object({ id: z.string().refine(isUuid), teamId: z.string(), expires: z.number() })

/** Files that clients upload before they parse them. Each can be uploaded and parsed once. */
export class ParseUploads {
  readonly #deps: ParseUploadsDeps

  constructor(deps: ParseUploadsDeps) {
    this.#deps = deps
  }

  /** Announces a file. Throws PARSE_UPLOAD_UNPARSED_LIMIT_REACHED. */
  async create(teamId: string, name: string, contentType: string | undefined): Promise<NewUpload> {
    const { store, blobs } = this.#deps
    await Promise.all((await deleteOldUploads(store.db)).map(async (id) => blobs.delete(blobOf(id))))
    const row = { id: uuidV7(), teamId, name, contentType: contentType ?? null, secret: randomSecret() }
    if (!(await addUpload(store.db, row, maxUnparsed))) {
      throw new BowlineError(
        'PARSE_UPLOAD_UNPARSED_LIMIT_REACHED',
        `A team can have at most ${maxUnparsed} uploads that it has not parsed within 24 hours`,
      )
    }
    const expires = Date.now() + lifetimeMs
    const payload = Buffer.from(JSON.stringify({ id: row.id, teamId, expires })).toString('base64url')
    return { id: row.id, uploadRef: `${payload}.${sign(payload, row.secret)}`, expiresAt: new Date(expires) }
  }

  /**
   * Stores the contents of a file, which `read` returns once the reference has been checked. Throws
   * BAD_REQUEST, NOT_FOUND if the file is unknown or was uploaded before.
   */
  async receive(id: string, uploadRef: string, read: (teamId: string) => Promise<Buffer>): Promise<void> {
    const { store, blobs } = this.#deps
    const row = await this.#check(uploadRef, id)
    if (row?.state !== 'new') throw new BowlineError('NOT_FOUND', 'Upload URL not found or expired.')
    const bytes = await read(row.teamId)
    if (!(await moveUpload(store.db, id, { from: 'new', to: 'received' }))) {
      throw new BowlineError('NOT_FOUND', 'Upload URL not found or expired.')
    }
    await this.#orMoveBack(id, { from: 'received', to: 'new' }, async () => {
      await blobs.write(blobOf(id), Readable.from([bytes]))
      await moveUpload(store.db, id, { from: 'received', to: 'stored' })
    })
  }

  /**
   * Returns an uploaded file, and deletes it. Throws BAD_REQUEST, or FORBIDDEN if it belongs to
   * another team.
   */
  async take(teamId: string, uploadRef: string): Promise<UploadedFile> {
    const { store, blobs } = this.#deps
    const claimed = payloadOf(uploadRef)
    if (claimed.teamId !== teamId) {
      throw new BowlineError('FORBIDDEN', 'uploadRef does not belong to the authenticated team.')
    }
    const row = await this.#check(uploadRef, claimed.id)
    if (row === undefined || !(await moveUpload(store.db, row.id, { from: 'stored', to: 'taken' }))) {
      throw new BowlineError('BAD_REQUEST', 'Uploaded file is not available. Upload the file before parsing.')
    }
    return this.#orMoveBack(row.id, { from: 'taken', to: 'stored' }, async () => {
      const bytes = await buffer(await blobs.read(blobOf(row.id)))
      await blobs.delete(blobOf(row.id))
      await deleteUpload(store.db, row.id)
      return { name: row.name, contentType: row.contentType ?? undefined, bytes }
    })
  }

  /** Changes the state of a file if `work` fails, so that the client can try again. */
  async #orMoveBack<Result>(id: string, change: UploadChange, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      // Without the database the file keeps its state until it is deleted as an old one.
      await moveUpload(this.#deps.store.db, id, change).catch(() => undefined)
      throw error
    }
  }

  /** Resolves to undefined if the file is unknown. */
  async #check(uploadRef: string, id: string): Promise<UploadRow | undefined> {
    const { id: signedId, expires } = payloadOf(uploadRef)
    if (signedId !== id) throw new BowlineError('BAD_REQUEST', 'uploadRef does not match this upload URL.')
    const row = await findUpload(this.#deps.store.db, id)
    const [payload = '', signature = ''] = uploadRef.split('.')
    if (row !== undefined && !equalSecrets(signature, sign(payload, row.secret))) throw invalidSignature()
    if (expires < Date.now()) throw new BowlineError('BAD_REQUEST', 'uploadRef has expired.')
    return row
  }
}

function payloadOf(uploadRef: string): z.output<typeof reference> {
  const text = Buffer.from(uploadRef.split('.')[0] ?? '', 'base64url').toString()
  const parsed = reference.safeParse(parseJson(text))
  if (!parsed.success) throw invalidSignature()
  return parsed.data
}

function invalidSignature(): BowlineError {
  return new BowlineError('BAD_REQUEST', 'Invalid uploadRef signature.')
}

function sign(payload: string, secret: string): string {
  return createHmac('sha256', secret).update(payload).digest('base64url')
}

function blobOf(id: string): string {
  return `parse-uploads/${id}`
}
