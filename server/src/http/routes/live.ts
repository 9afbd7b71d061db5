import type { FastifyInstance, FastifyReply } from 'fastify'
import { serverRoutes } from 'bowline/contract/server-routes'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { createWebFiles } from '../../live/web-files.ts'
import { createPageRenderer, pageHeaders } from '../../live/page-html.ts'
import type { ViewerPageState } from '../../live/server-message.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import type { AccessOf } from '../authorize.ts'
import { sendError } from '../errors.ts'
import { registerServerRoute } from '../register-route.ts'

/** Dependencies of the live view routes. */
export interface LiveRouteDeps {
  readonly sessions: Sessions
  readonly accessOf: AccessOf
}

/** Registers the page of the live view and its files. */
export function registerLive(app: FastifyInstance, { sessions, accessOf }: LiveRouteDeps): void {
  const findFile = createWebFiles()
  const render = createPageRenderer()
  const send = (reply: FastifyReply, status: number, state: ViewerPageState): FastifyReply =>
    reply.code(status).headers(pageHeaders).send(render(state))

  registerServerRoute(app, 'liveViewFile', {
    handler: async (request, reply) => {
      const { name } = request.params as { readonly name: string }
      const file = findFile(name)
      if (file === undefined) throw new BowlineError('ROUTE_NOT_FOUND', 'File not found')
      return reply
        .headers({ 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff', 'content-type': file.contentType })
        .send(file.body)
    },
  })

  registerServerRoute(app, 'liveView', {
    handler: async (request, reply) => {
      const { row, kind } = accessOf(request, serverRoutes.liveView.auth)
      if (sessions.find(row.id) !== undefined) {
        return send(reply, 200, { kind: 'live', isInteractive: kind === 'interact' })
      }
      const { endReason: reason, durationMs, creditsBilled } = row
      return send(reply, 410, { kind: 'ended', reason, durationMs, creditsBilled })
    },
    errorHandler: (error, request, reply) => {
      const wantsPage = request.headers.accept?.includes('text/html') === true
      if (wantsPage && isBowlineError(error)) send(reply, error.status, { kind: 'refused', message: error.message })
      else sendError(error, request, reply)
    },
  })
}
