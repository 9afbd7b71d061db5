import { fillPath } from 'bowline/contract/fill-path'
import { serverPaths } from 'bowline/contract/server-paths'
import { failure } from 'bowline/contract/failure'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { isBowlineError } from 'bowline/kit/errors'
import { handleMailLink, type LinkOutcome } from '../../monitors/mail/handle-mail-link.ts'
import { linkPage, outcomePage, pageHeaders } from '../../monitors/mail/link-page.ts'
import { firstToken, type TokenQuery } from '../first-token.ts'
import type { Store } from '../../store/store.ts'

/** Maximum body size in bytes. Senders have no API key. */
const maxBodyBytes = 4096

const body = z.object({ token: z.string().max(500) })

const response = z.looseObject({
  success: z.literal(true),
  result: z.enum(['confirmed', 'already_confirmed', 'unsubscribed', 'already_unsubscribed']),
  email: z.string(),
  monitorName: z.string(),
})

/**
 * Registers the pages that links in emails lead to. They need no key, because each link contains a
 * token. Opening a link changes nothing, since mail clients prefetch links.
 */
export function registerMonitorMail(app: FastifyInstance, { store }: { readonly store: Store }): void {
  // Sent by forms and by one-click unsubscribe of mail clients (RFC 8058). The token is in the
  // URL.
  const formTypes = ['application/x-www-form-urlencoded', 'multipart/form-data']
  app.addContentTypeParser(formTypes, { parseAs: 'string' }, (_request, _text, done) => done(null, {}))
  for (const purpose of ['confirm', 'unsubscribe'] as const) {
    const summary = purpose === 'confirm' ? 'Confirm emails of a monitor' : 'Unsubscribe from emails of a monitor'
    app.post<{ Body: z.output<typeof body> }>(
      fillPath(serverPaths.monitorMailApi, { purpose }),
      {
        bodyLimit: maxBodyBytes,
        schema: {
          body,
          response: { 200: response, '4xx': failure, '5xx': failure },
          summary,
          description: `${summary}, with the token from an email.`,
          operationId: `${purpose}Email`,
          tags: ['Monitors'],
          security: [],
        },
      },
      async (request) => ({ success: true, ...(await handleMailLink(store.db, request.body.token, purpose)) }),
    )
    const path = fillPath(serverPaths.monitorMail, { purpose })
    const hidden = { bodyLimit: maxBodyBytes, schema: { hide: true } as object }
    const send = (reply: FastifyReply, status: number, html: string): FastifyReply =>
      reply.code(status).headers(pageHeaders).send(html)
    app.get(path, hidden, async (_request, reply) => send(reply, 200, linkPage(purpose)))
    app.post<{ Querystring: TokenQuery }>(path, hidden, async (request, reply) => {
      try {
        const outcome: LinkOutcome = await handleMailLink(store.db, firstToken(request.query), purpose)
        return send(reply, 200, outcomePage(outcome))
      } catch (error) {
        if (!isBowlineError(error)) throw error
        return send(reply, error.status, outcomePage(error))
      }
    })
  }
}
