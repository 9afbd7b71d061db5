import type { FastifyInstance, FastifyReply } from 'fastify'
import { serverPaths } from 'bowline/contract/server-paths'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { checkViewerToken } from '../../sessions/check-viewer-token.ts'
import { createWebFiles } from '../../live/web-files.ts'
import { createPageRenderer, pageHeaders } from '../../live/page-html.ts'
import type { ViewerPageState } from '../../live/server-message.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import { fastifyPath } from '../register-route.ts'
import { firstToken, type TokenQuery } from '../first-token.ts'
import type { Store } from '../../store/store.ts'

/** Dependencies of the live view routes. */
export interface LiveRouteDeps {
  readonly store: Store
  readonly sessions: Sessions
}

/**
 * Registers the page of the live view and its files. They need no key, because the URL contains a
 * token.
 */
export function registerLive(app: FastifyInstance, { store, sessions }: LiveRouteDeps): void {
  const hidden = { schema: { hide: true } as object }
  const findFile = createWebFiles()
  const render = createPageRenderer()
  const send = (reply: FastifyReply, status: number, state: ViewerPageState): FastifyReply =>
    reply.code(status).headers(pageHeaders).send(render(state))

  app.get<{ Params: { name: string } }>('/live/assets/:name', hidden, async (request, reply) => {
    const file = findFile(request.params.name)
    if (file === undefined) throw new BowlineError('ROUTE_NOT_FOUND', 'File not found')
    return reply
      .headers({ 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff', 'content-type': file.contentType })
      .send(file.body)
  })

  app.get<{ Params: { id: string }; Querystring: TokenQuery }>(
    fastifyPath(serverPaths.liveView),
    { ...hidden, config: { sessionNode: 'required' } },
    async (request, reply) => {
      try {
        const { row, kind } = await checkViewerToken(store, request.params.id, firstToken(request.query))
        if (sessions.find(row.id) !== undefined) {
          return send(reply, 200, { kind: 'live', isInteractive: kind === 'interact' })
        }
        const { endReason: reason, durationMs, creditsBilled } = row
        return send(reply, 410, { kind: 'ended', reason, durationMs, creditsBilled })
      } catch (error) {
        const wantsPage = request.headers.accept?.includes('text/html') === true
        if (!wantsPage || !isBowlineError(error)) throw error
        return send(reply, error.status, { kind: 'refused', message: error.message })
      }
    },
  )
}
