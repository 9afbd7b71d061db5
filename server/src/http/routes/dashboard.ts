import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { serverRoutes } from 'bowline/contract/server-routes'
import { sendBuiltFile } from '../built-file.ts'
import { registerServerRoute } from '../register-route.ts'

/** Folder of the built dashboard, relative to the sources and to the compiled files. */
const folder = fileURLToPath(new URL('../../../dist/dashboard/', import.meta.url))

/** The page loads only its own files, and frames only live views. */
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

/** File names contain a hash of the content. */
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
  <p>The server itself is running. In a clone of the repository, <code>npm start</code> and <code>npm run build</code> build the dashboard. Reload this page afterwards.</p>
  <p><a href="${serverRoutes.apiReference.path}">API reference</a></p>
</html>
`

/**
 * Registers the dashboard at `/` and its files. Clients that do not accept HTML get the version as
 * JSON.
 */
export async function registerDashboard(app: FastifyInstance, { version }: { readonly version: string }) {
  registerServerRoute(app, 'dashboardFile', {
    handler: async (request, reply) => {
      const { name } = request.params as { readonly name: string }
      // An encoded name may contain anything, such as a slash.
      if (!/^[\w-][\w.-]*$/.test(name)) return reply.callNotFound()
      void reply.headers(fileHeaders)
      if (await sendBuiltFile(request, reply, `${folder}assets/${name}`)) return reply
      for (const header of Object.keys(fileHeaders)) void reply.removeHeader(header)
      return reply.callNotFound()
    },
  })
  registerServerRoute(app, 'dashboard', {
    handler: async (request, reply) => {
      void reply.header('vary', 'Accept')
      if (request.headers.accept?.includes('text/html') === true) return sendPage(request, reply)
      const documentationUrl = `${request.protocol}://${request.host}${serverRoutes.apiReference.path}`
      return { message: `Bowline ${version}`, documentation_url: documentationUrl }
    },
  })
}

async function sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  void reply.headers(pageHeaders)
  if (await sendBuiltFile(request, reply, `${folder}index.html`)) return reply
  return reply.code(503).type('text/html; charset=utf-8').send(notBuilt)
}
