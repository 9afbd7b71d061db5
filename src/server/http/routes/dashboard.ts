import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import serveFiles from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'

/** Where the built dashboard is, for sources and for what is compiled from them. */
const folder = fileURLToPath(new URL('../../../../dist/dashboard/', import.meta.url))

/** The page loads nothing but its own files, and shows nothing of others but the pictures of live views. */
const pageHeaders = {
  'cache-control': 'no-cache',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const notBuilt = `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width" />
  <title>Bowline</title>
  <h1>The dashboard is not built</h1>
  <p>The server works. In a clone, <code>npm start</code> and <code>npm run build</code> build its dashboard; then load this page again.</p>
  <p><a href="/docs">The API</a></p>
</html>
`

/** Registers the dashboard at `/` and its files. To whoever asks for no page, `/` answers who is there. */
export const registerDashboard = async (app: FastifyInstance, { version }: { readonly version: string }) => {
  await app.register(serveFiles, {
    root: folder,
    prefix: '/dashboard/',
    index: false,
    // The page itself is only sent with its headers.
    allowedPath: (path, _root, { routeOptions }) => routeOptions.url === '/' || !path.endsWith('.html'),
    preCompressed: true,
    // The names of these files tell their content.
    immutable: true,
    maxAge: '1y',
    suppressWarning: true,
    setHeaders: (reply) => void reply.header('x-content-type-options', 'nosniff'),
  })
  app.get('/', { schema: { hide: true } }, async (request, reply) => {
    void reply.header('vary', 'Accept')
    if (request.headers.accept?.includes('text/html') === true) return sendPage(reply)
    return { message: `Bowline ${version}`, documentation_url: `${request.protocol}://${request.host}/docs` }
  })
}

const sendPage = (reply: FastifyReply): FastifyReply => {
  void reply.headers(pageHeaders)
  if (!existsSync(`${folder}index.html`)) return reply.code(503).type('text/html; charset=utf-8').send(notBuilt)
  return reply.sendFile('index.html', { cacheControl: false })
}
