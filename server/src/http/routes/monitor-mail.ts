import { serverRoutes } from 'bowline/contract/server-routes'
import { failure } from 'bowline/contract/failure'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { z } from 'zod'
import { isBowlineError } from 'bowline/kit/errors'
import { followMailLink, type LinkOutcome } from '../../monitors/mail/mail-link.ts'
import { linkPage, outcomePage, pageHeaders } from '../../monitors/mail/link-page.ts'
import type { MailPurpose } from '../../monitors/mail/mail-token.ts'
import type { AccessOf } from '../authorize.ts'
import { sendError } from '../errors.ts'
import { registerServerRoute } from '../register-route.ts'
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

/** Registers the pages that links in emails lead to. */
export function registerMonitorMail(
  app: FastifyInstance,
  { store, accessOf }: { readonly store: Store; readonly accessOf: AccessOf },
): void {
  // Sent by forms and by one-click unsubscribe of mail clients (RFC 8058). The token is in the
  // URL.
  const formTypes = ['application/x-www-form-urlencoded', 'multipart/form-data']
  app.addContentTypeParser(formTypes, { parseAs: 'string' }, (_request, _text, done) => done(null, {}))
  const follow = async (request: FastifyRequest): Promise<LinkOutcome> =>
    followMailLink(store.db, accessOf(request, serverRoutes.followMailLink.auth))
  const send = (reply: FastifyReply, status: number, html: string): FastifyReply =>
    reply.code(status).headers(pageHeaders).send(html)
  for (const purpose of ['confirm', 'unsubscribe'] as const) {
    const shared = { params: { purpose }, bodyLimit: maxBodyBytes }
    registerServerRoute(app, 'followMailLinkByApi', {
      ...shared,
      schema: schemaOf(purpose),
      handler: async (request) => ({ success: true, ...(await follow(request)) }),
    })
    registerServerRoute(app, 'mailLink', {
      ...shared,
      handler: async (_request, reply) => send(reply, 200, linkPage(purpose)),
    })
    registerServerRoute(app, 'followMailLink', {
      ...shared,
      handler: async (request, reply) => send(reply, 200, outcomePage(await follow(request))),
      errorHandler: (error, request, reply) => {
        if (isBowlineError(error)) send(reply, error.status, outcomePage(error))
        else sendError(error, request, reply)
      },
    })
  }
}

function schemaOf(purpose: MailPurpose): FastifySchema {
  const summary = purpose === 'confirm' ? 'Confirm emails of a monitor' : 'Unsubscribe from emails of a monitor'
  return {
    body,
    response: { 200: response, '4xx': failure, '5xx': failure },
    summary,
    description: `${summary}, with the token from an email.`,
    operationId: `${purpose}Email`,
    tags: ['Monitors'],
    security: [],
  }
}
