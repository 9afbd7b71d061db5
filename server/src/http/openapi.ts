import { readFileSync } from 'node:fs'
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { createJsonSchemaTransform } from 'fastify-type-provider-zod'
import { writeShorthands } from 'bowline/contract/shorthand'
import { isBowlineError } from 'bowline/kit/errors'
import { loadOptional } from '../kit/optional-package.ts'
import { addComponents, nameSchemas } from './openapi-components.ts'
import { tags } from './openapi-tags.ts'

/**
 * Serves the OpenAPI document, generated from the contract, at /openapi.json, and its documentation
 * page at /docs.
 */
export async function registerOpenApi(app: FastifyInstance, version: string): Promise<void> {
  const schemaRegistry = nameSchemas()
  const transform = createJsonSchemaTransform({ schemaRegistry })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Bowline',
        description: 'Remote browser sessions, scraping, crawling and search.',
        version,
        license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      },
      servers: [{ url: '/', description: 'This server' }],
      tags: [...tags],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    },
    transform: (document) => {
      const { schema, url } = transform(document)
      return { schema: writeShorthands(schema), url }
    },
    transformObject: addComponents(schemaRegistry),
  })
  await registerDocs(app)
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
}

/**
 * Registers the documentation page. If its optional package is missing, `/docs` responds with
 * PACKAGE_MISSING.
 */
async function registerDocs(app: FastifyInstance): Promise<void> {
  const load = async () => loadOptional('@fastify/swagger-ui', '/docs', async () => import('@fastify/swagger-ui'))
  const ui = await load().catch((error: unknown) => {
    if (isBowlineError(error) && error.code === 'PACKAGE_MISSING') return undefined
    throw error
  })
  if (ui === undefined) {
    app.get('/docs', { schema: { hide: true } }, async () => load())
    return
  }
  const type = 'image/svg+xml'
  const content = readFileSync(new URL('../live/web/icon.svg', import.meta.url), 'utf8')
  await app.register(ui.default, {
    routePrefix: '/docs',
    staticCSP: true,
    logo: { type, content, href: '/' },
    theme: { title: 'Bowline API', favicon: [{ filename: 'icon.svg', rel: 'icon', sizes: 'any', type, content }] },
  })
}
