import type { FastifyInstance } from 'fastify'
import { BowlineError } from 'bowline/kit/errors'

/**
 * Rejects compressed request bodies, which the server does not decode: JSON would be malformed, and
 * files would be stored compressed.
 */
export function refuseEncodedBodies(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers }) => {
    const { 'content-encoding': encoding = '', 'content-length': length = '0' } = headers
    const isEncoded = !['', 'identity'].includes(encoding.trim().toLowerCase())
    if (!isEncoded || (length === '0' && headers['transfer-encoding'] === undefined)) return
    throw new BowlineError('BAD_REQUEST', `Request bodies with Content-Encoding ${encoding} are not supported`, {
      status: 415,
      hint: 'Send the body uncompressed, without this header.',
    })
  })
}
