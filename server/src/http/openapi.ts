import { readFileSync } from 'node:fs'
import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import { createJsonSchemaTransform } from 'fastify-type-provider-zod'
import { serverRoutes } from 'bowline/contract/server-routes'
import type { Route } from 'bowline/contract/route'
import { writeAlternatives } from 'bowline/contract/alternative'
import { writeShorthands } from 'bowline/contract/shorthand'
import { isBowlineError } from 'bowline/kit/errors'
import { loadOptional } from '../kit/optional-package.ts'
import { apiReferenceOptions, apiReferencePolicy, apiReferenceScript, apiReferenceStyle } from './api-reference-page.ts'
import { addComponents, nameSchemas } from './openapi-components.ts'
import { addExamples, formContent } from './openapi-examples.ts'
import { addWarnings, describeResponses } from './openapi-responses.ts'
import { OpenApiText } from './openapi-text.ts'
import { registerServerRoute } from './register-route.ts'
import { tags } from './openapi-tags.ts'

/** Dependencies of the OpenAPI document. */
export interface OpenApiDeps {
  readonly version: string
  /** Returns the URL under which a client reached the server, without trailing slash. */
  readonly baseUrlOf: (request: FastifyRequest) => string
}

/**
 * Serves the OpenAPI document, generated from the contract, and its documentation page.
 */
export async function registerOpenApi(app: FastifyInstance, { version, baseUrlOf }: OpenApiDeps): Promise<void> {
  const schemaRegistry = nameSchemas()
  const transform = createJsonSchemaTransform({ schemaRegistry })
  const addAllComponents = addComponents(schemaRegistry)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Bowline',
        description:
          'Remote browser sessions, scraping, crawling and search. An error has `success: false`, `error` and `code`. Only `SCRAPE_DNS_RESOLUTION_ERROR` (the host does not resolve) has the status 200.',
        version,
        license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      },
      servers: [{ url: '/', description: 'This server' }],
      tags: [...tags],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: keyDescription } } },
    },
    transform: (document) => {
      const { streams, headers, contentTypes, canFailWith200 } = document.route.config ?? {}
      const { schema, url } = transform({ ...document, schema: { ...document.schema, headers } })
      if (streams !== undefined) return { schema: describeFile(schema, streams, contentTypes), url }
      return { schema: writeShorthands(writeAlternatives(canFailWith200 ? addFailure(schema) : schema)), url }
    },
    transformObject: (source) => addExamples(addWarnings(describeResponses(addAllComponents(source)))),
  })
  const text = new OpenApiText(app, baseUrlOf)
  await registerDocs(app, text)
  registerServerRoute(app, 'openApi', { handler: async (request, reply) => text.sendJson(request, reply) })
}

const keyDescription =
  'An API key. A new server prints its first key, an admin key, and stores it in the file `api-key` of its data folder. Admin keys create others on the page Keys of the dashboard (`/#/keys`), with `bowline keys create NAME` or with `POST /v2/team/keys`. Opened from the dashboard, this page uses the key of the dashboard.'

/** Describes the body that is a file by its content types instead of as JSON of the contract. */
function describeFile(
  schema: FastifySchema,
  streams: NonNullable<Route['streams']>,
  contentTypes: Route['contentTypes'] = ['application/octet-stream'],
): FastifySchema {
  const content = Object.fromEntries(contentTypes.map((type) => [type, { schema: fileSchema(type) }]))
  if (streams === 'form') return { ...schema, body: { content: formContent } }
  if (streams === 'request') return { ...schema, body: { content } }
  return { ...schema, response: { ...(schema.response as object), 200: { description: 'The file', content } } }
}

function fileSchema(contentType: string): object {
  if (contentType === 'application/json') return { type: 'object' }
  const isText = contentType.startsWith('text/') || contentType === 'application/x-ndjson'
  return isText ? { type: 'string' } : { type: 'string', format: 'binary' }
}

/** Describes that a response with status 200 can be a failure, whose `success` is `false`. */
function addFailure(schema: FastifySchema): FastifySchema {
  const response = schema.response as Readonly<Record<string, object>>
  return { ...schema, response: { ...response, 200: { anyOf: [response['200'], response['4xx']] } } }
}

/**
 * Registers the documentation page. If its optional package is missing, the page responds with
 * PACKAGE_MISSING.
 */
async function registerDocs(app: FastifyInstance, text: OpenApiText): Promise<void> {
  const { path } = serverRoutes.apiReference
  const load = async () => loadOptional('@fastify/swagger-ui', path, async () => import('@fastify/swagger-ui'))
  const ui = await load().catch((error: unknown) => {
    if (isBowlineError(error) && error.code === 'PACKAGE_MISSING') return undefined
    throw error
  })
  if (ui === undefined) {
    registerServerRoute(app, 'apiReference', { handler: async () => load() })
    return
  }
  const type = 'image/svg+xml'
  const content = readFileSync(new URL('../live/web/icon.svg', import.meta.url), 'utf8')
  await app.register(ui.default, {
    routePrefix: path,
    staticCSP: apiReferencePolicy,
    uiConfig: { ...apiReferenceOptions, plugins: [...apiReferenceOptions.plugins] },
    logo: { type, content, href: '/' },
    theme: {
      title: 'Bowline API',
      favicon: [{ filename: 'icon.svg', rel: 'icon', sizes: 'any', type, content }],
      js: [{ filename: 'samples.js', content: apiReferenceScript }],
      css: [{ filename: 'wrap.css', content: apiReferenceStyle }],
    },
    uiHooks: {
      // The package would serialize the document for each request.
      preHandler: (request, reply, next) => {
        const { url } = request.routeOptions
        if (url === `${path}/json`) text.sendJson(request, reply)
        else if (url === `${path}/yaml`) text.sendYaml(request, reply)
        else next()
      },
    },
  })
}
