import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { routes, type RouteName, type Routes } from 'bowline/contract/routes'
import type { Artifacts } from '../../artifacts/artifacts.ts'
import { findKeptFile, listKeptFiles } from '../../files/kept-files.ts'
import { sessionEnded } from '../../kit/session-ended.ts'
import type { LiveSession } from '../../sessions/live-session.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import type { AccessOf } from '../authorize.ts'
import { byteRange } from '../byte-range.ts'
import { detachBody } from '../detach-body.ts'
import { registerRoute } from '../register-route.ts'

/** Dependencies of the file routes. */
export interface FileRouteDeps {
  readonly sessions: Sessions
  readonly artifacts: Artifacts
  readonly accessOf: AccessOf
}

type FileRoute = Extract<RouteName, 'listFiles' | 'uploadFile' | 'downloadFile' | 'deleteFile'>

/** Registers the routes of session files. */
export function registerFiles(app: FastifyInstance, deps: FileRouteDeps): void {
  // Uploads may have any content type, and their bytes are streamed.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  const { artifacts } = deps

  registerRoute(app, 'listFiles', {
    handler: async (request) => {
      const { row, session } = findSession(deps, request, 'listFiles')
      const files = session === undefined ? await listKeptFiles(artifacts, row) : session.files.list()
      return { success: true, files }
    },
  })

  registerRoute(app, 'uploadFile', {
    handler: async (request) => {
      const { row, session } = findSession(deps, request, 'uploadFile')
      if (session === undefined) throw sessionEnded(row.endReason ?? 'ending')
      const { name, group, lastModified } = request.query as Query<'uploadFile'>
      const announced = request.headers['content-length']
      const announcedBytes = announced === undefined ? undefined : Number(announced)
      const upload = { name, group, lastModified, announcedBytes, body: detachBody(request.raw) }
      const received = await session.files.receive(upload)
      return { success: true, ...received }
    },
  })

  registerRoute(app, 'downloadFile', {
    handler: async (request, reply) => {
      const { row, session } = findSession(deps, request, 'downloadFile')
      const { name } = request.params as Params<'downloadFile'>
      if (session === undefined) {
        const kept = await findKeptFile(artifacts, row, name)
        describeFile(reply, kept.name)
        // No ranges, because not every blob store supports them.
        void reply.headers({ 'accept-ranges': 'none', 'content-length': kept.bytes })
        return reply.send(await artifacts.read(kept))
      }
      const { entry, read, close } = await session.files.open(name)
      const range = byteRange(request.headers.range, entry.size)
      describeFile(reply, entry.name)
      if (range === 'unsatisfiable') {
        await close()
        return reply.code(416).header('content-range', `bytes */${entry.size}`).send('')
      }
      if (range === undefined) return reply.header('content-length', entry.size).send(withActivity(read(), session))
      return reply
        .code(206)
        .header('content-range', `bytes ${range.start}-${range.end}/${entry.size}`)
        .header('content-length', range.end - range.start + 1)
        .send(withActivity(read(range), session))
    },
  })

  registerRoute(app, 'deleteFile', {
    handler: async (request) => {
      const { row, session } = findSession(deps, request, 'deleteFile')
      const { name } = request.params as Params<'deleteFile'>
      if (session === undefined) await artifacts.remove((await findKeptFile(artifacts, row, name)).id)
      else await session.downloads.removeFile(name)
      return { success: true }
    },
  })
}

type Params<Name extends FileRoute> = z.output<Routes[Name]['params']>
type Query<Name extends FileRoute> = z.output<Routes[Name]['query']>

/** Returns the session of an authorized request. `session` is `undefined` if it has ended. */
function findSession({ accessOf, sessions }: FileRouteDeps, request: FastifyRequest, name: FileRoute) {
  const row = accessOf(request, routes[name].auth)
  const session = sessions.find(row.id)
  // A program that waits for a file must not keep an idle session. A download counts once it runs.
  if (name !== 'listFiles' && name !== 'downloadFile') session?.touch()
  return { row, session }
}

/** Counts reading as activity: a session must not idle out during a large download. */
function withActivity<Stream extends NodeJS.ReadableStream>(stream: Stream, session: LiveSession): Stream {
  stream.on('data', session.touch)
  stream.pause()
  return stream
}

/** Sets headers that keep a file of a site from running as a page of this server. */
function describeFile(reply: FastifyReply, name: string): void {
  const fileName = name.slice(name.lastIndexOf('/') + 1)
  void reply.headers({
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename*=UTF-8''${encodeRfc5987(fileName)}`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'accept-ranges': 'bytes',
  })
}

function encodeRfc5987(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  )
}
