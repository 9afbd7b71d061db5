import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendBuiltFile } from '../built-file.ts'

/** Where the built dashboard is, for sources and for what is compiled from them. */
const folder = fileURLToPath(new URL('../../../dist/dashboard/', import.meta.url))

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

/** The names of the files tell their content. */
const fileHeaders = {
  'cache-control': 'public, max-age=31536000, immutable',
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
export async function registerDashboard(app: FastifyInstance, { version }: { readonly version: string }) {
  app.get<{ Params: { name: string } }>(
    '/dashboard/assets/:name',
    { schema: { hide: true } },
    async (request, reply) => {
      const { name } = request.params
      // A name that was encoded may hold anything, such as a slash.
      if (!/^[\w-][\w.-]*$/.test(name)) return reply.callNotFound()
      void reply.headers(fileHeaders)
      if (await sendBuiltFile(request, reply, `${folder}assets/${name}`)) return reply
      for (const header of Object.keys(fileHeaders)) void reply.removeHeader(header)
      return reply.callNotFound()
    },
  )
  app.get('/', { schema: { hide: true } }, async (request, reply) => {
    void reply.header('vary', 'Accept')
    if (request.headers.accept?.includes('text/html') === true) return sendPage(request, reply)
    return { message: `Bowline ${version}`, documentation_url: `${request.protocol}://${request.host}/docs` }
  })
}

async function sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  void reply.headers(pageHeaders)
  if (await sendBuiltFile(request, reply, `${folder}index.html`)) return reply
  return reply.code(503).type('text/html; charset=utf-8').send(notBuilt)
}
