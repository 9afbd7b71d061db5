import { routes } from 'bowline/contract/routes'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { fillPath } from 'bowline/contract/fill-path'
import { maxParseBytes, type FileFormat } from 'bowline/contract/parse'
import { serverRoutes } from 'bowline/contract/server-routes'
import type { BilledScrapes } from '../../scrape/billed-scrapes.ts'
import type { NewActivity } from '../../usage/activity-log.ts'
import { fileFormats } from '../../scrape/documents/file-kinds.ts'
import { kindOfFile, type UploadedFile } from '../../scrape/load/document-reader.ts'
import { findTessdata } from '../../scrape/parse/pdf/tessdata.ts'
import type { ParseUploads } from '../../scrape/uploads/parse-uploads.ts'
import type { AccessOf } from '../authorize.ts'
import { abortOnDisconnect } from '../disconnect-signal.ts'
import { activityDescriber } from '../activity-of-call.ts'
import type { BodyMemory, HeldBytes } from '../body-memory.ts'
import { readBytes, readParseBody, toParseRequest, unusedWarning, type ParseBody } from '../read-parse-body.ts'
import type { Handlers } from '../register.ts'
import { registerRoute, registerServerRoute } from '../register-route.ts'
import type { ResponseMemory } from '../response-memory.ts'
import { streamLongJson } from '../stream-long-json.ts'

/** Dependencies of the routes that parse files. */
export interface ParseRouteDeps {
  readonly billedScrapes: BilledScrapes
  readonly uploads: ParseUploads
}

/** Routes about parsing files, except those that receive files. */
export function parseHandlers({ uploads }: Pick<ParseRouteDeps, 'uploads'>): Handlers {
  return {
    listParseFormats: async () => ({ success: true, data: { formats: availableFormats() } }),
    createParseUpload: async ({ body: { filename, contentType } }, { key, baseUrl }) => {
      kindOfFile({ name: filename, contentType })
      const { id, uploadRef, expiresAt } = await uploads.create(key.teamId, filename, contentType)
      const data = {
        uploadUrl: `${baseUrl}${fillPath(serverRoutes.parseUpload.path, { id })}?uploadRef=${encodeURIComponent(uploadRef)}`,
        uploadRef,
        method: 'PUT' as const,
        headers: { 'content-type': contentType ?? 'application/octet-stream' },
        expiresAt: expiresAt.toISOString(),
        maxSizeBytes: maxParseBytes,
      }
      return { success: true, data }
    },
  }
}

/** Images need OCR. */
function availableFormats(): FileFormat[] {
  const hasOcr = findTessdata() !== undefined
  return fileFormats.map((each) => (each.kind === 'image' && !hasOcr ? unavailable(each) : each))
}

function unavailable(format: FileFormat): FileFormat {
  return { ...format, available: false }
}

/** Registers the routes that receive files. */
export function registerParse(
  app: FastifyInstance,
  deps: ParseRouteDeps & {
    readonly accessOf: AccessOf
    readonly baseUrlOf: (request: FastifyRequest) => string
    /** Receives the activity of each parsed file, including failures. */
    readonly record: (activity: NewActivity) => void
    /** Limits the memory for files of all requests. */
    readonly bodies: BodyMemory
    readonly responses: ResponseMemory
  },
): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  const { billedScrapes, uploads, accessOf, baseUrlOf, record, responses, bodies } = deps
  const describeActivity = activityDescriber(routes.parse)
  registerServerRoute(app, 'parseUpload', {
    handler: async (raw) => {
      const { id } = raw.params as { readonly id: string }
      const { uploadRef } = raw.query as { readonly uploadRef?: unknown }
      // Until the file is stored.
      using holds = new DisposableStack()
      const read = async (teamId: string): Promise<Buffer> =>
        readBytes(raw, maxParseBytes, holds.use(bodies.open(teamId)))
      await uploads.receive(id, typeof uploadRef === 'string' ? uploadRef : '', read)
      return { success: true }
    },
  })
  registerRoute(app, 'parse', {
    handler: async (raw, reply) => {
      const { teamId, id: apiKeyId } = accessOf(raw, 'key')
      responses.assertRoom(teamId)
      using caller = abortOnDisconnect(raw)
      using held = bodies.open(teamId)
      const body = await readParseBody(raw, held)
      const request = toParseRequest(body.options)
      const file = await fileOf(body, { teamId, uploads, held })
      kindOfFile(file)
      const who = { teamId, apiKeyId, baseUrl: baseUrlOf(raw), signal: caller.signal }
      const startedAt = new Date()
      const recordActivity = (outcome: { readonly response: unknown } | { readonly error: unknown }): void => {
        const { zeroDataRetention, auditMetadata } = request
        const described = { url: file.name, zeroDataRetention, auditMetadata }
        const activity = describeActivity?.({ teamId, apiVersion: 'v2', body: described, ...outcome }, startedAt)
        if (activity !== undefined) record(activity)
      }
      try {
        const { document } = await billedScrapes.parseFile({ ...who, request, file })
        const warning = [document.warning, unusedWarning(body.options)].filter((text) => text !== undefined).join(' ')
        const response = { success: true, data: { ...document, ...(warning === '' ? {} : { warning }) } } as const
        recordActivity({ response })
        responses.holdUntilSent(teamId, response, reply.raw)
        return streamLongJson(response, routes.parse.response, reply)
      } catch (error) {
        recordActivity({ error })
        throw error
      }
    },
  })
}

interface FileSource extends Pick<ParseRouteDeps, 'uploads'> {
  readonly teamId: string
  readonly held: HeldBytes
}

async function fileOf(body: ParseBody, { teamId, uploads, held }: FileSource): Promise<UploadedFile> {
  if ('file' in body) return body.file
  // Counted before it is taken: a file that was taken cannot be parsed again.
  held.add(maxParseBytes)
  const file = await uploads.take(teamId, body.uploadRef)
  held.release(maxParseBytes - file.bytes.length)
  return file
}
