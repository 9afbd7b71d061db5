import { get, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { routes, type Route } from 'bowline/contract/routes'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { requestExamples } from '../../src/http/openapi-examples.ts'

interface Operation {
  readonly operationId?: string
  readonly tags?: readonly string[]
  readonly description?: string
  readonly security?: readonly object[]
  readonly parameters?: readonly { readonly in: string; readonly name: string }[]
  readonly responses: Readonly<Record<string, { readonly description?: string }>>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

interface Schema {
  readonly $ref?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
}

describe('the OpenAPI document', () => {
  let lab: Lab
  let document: {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    readonly tags: readonly { readonly name: string }[]
    readonly servers: readonly object[]
    readonly components: {
      readonly schemas: Readonly<Record<string, Schema>>
      readonly securitySchemes: Readonly<Record<string, { readonly description?: string }>>
    }
  }
  beforeAll(async () => {
    lab = await startLab()
    document = (await lab.api('GET', '/openapi.json', undefined, {})).body as typeof document
  })
  afterAll(async () => lab[Symbol.asyncDispose]())

  const operations = () => Object.values(document.paths).flatMap((path) => Object.values(path))
  const named = (schema: Schema = {}): Schema =>
    schema.$ref === undefined ? schema : (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})
  const bodyOf = (path: string): Schema =>
    named(document.paths[path]?.['post']?.requestBody?.content['application/json']?.schema)

  test('describes every operation with its group, authentication and errors', () => {
    const names = new Set(document.tags.map(({ name }) => name))

    for (const { operationId, tags = [], description, security, responses } of operations()) {
      expect(description, operationId).toMatch(/\.$/)
      expect(tags.every((tag) => names.has(tag)) && tags.length === 1, operationId).toBe(true)
      expect(security, operationId).toBeDefined()
      expect(Object.keys(responses), operationId).toEqual(expect.arrayContaining(['200', '4XX', '5XX']))
    }
    expect(document.servers).toHaveLength(1)
    expect(document.components.securitySchemes['bearer']?.description).toContain('bowline keys create')
  })

  test('describes what an operation returns', () => {
    const described = new Map(
      operations().map(({ operationId, responses }) => [operationId, responses['200']?.description]),
    )

    expect(described.get('listMonitors')).toBe('The monitors of the team, newest first')
    expect(described.get('getHandoff')).toBe('A hand-off')
    expect(described.get('createMonitor')).toBe('The request succeeded')
    expect(JSON.stringify(document.paths)).not.toContain('Default Response')
  })

  test('describes fields as the comments of the contract do, also in nested objects', () => {
    const { timeout, profile } = document.components.schemas['ScrapeRequest']?.properties ?? {}
    const { saveChanges } = document.components.schemas['Profile']?.properties ?? {}

    expect(timeout?.description).toBe('Timeout of the scrape in milliseconds. Default: 60000.')
    expect(profile?.description).toContain('A profile that does not exist is created.')
    expect(saveChanges?.description).toContain('Saves the browser state when the session ends.')
  })

  test('has an example for every JSON body, which the operation accepts', () => {
    const withBody = operations().filter(({ requestBody }) => requestBody?.content['application/json'] !== undefined)
    const bodies = new Map(Object.entries<Route>(routes).map(([name, { body }]) => [name, body]))
    const ids = withBody.map(({ operationId = '' }) => operationId).filter((id) => id !== 'parse')

    expect(ids.toSorted()).toEqual(Object.keys(requestExamples).toSorted())
    for (const id of ids.filter((name) => bodies.has(name))) {
      expect(bodies.get(id)?.safeParse(requestExamples[id]), id).toMatchObject({ success: true })
    }
  })

  test('describes the idempotency key of the routes that create something', () => {
    const withKey = operations().filter(({ parameters = [] }) =>
      parameters.some((parameter) => parameter.in === 'header' && parameter.name === 'x-idempotency-key'),
    )

    expect(withKey.map(({ operationId = '' }) => operationId).toSorted()).toEqual([
      'createSession',
      'retryBatch',
      'startBatch',
      'startCrawl',
      'startV1Batch',
      'startV1Crawl',
    ])
    expect(withKey[0]?.parameters).toContainEqual({
      in: 'header',
      name: 'x-idempotency-key',
      required: false,
      description: expect.stringMatching(/^Makes the request safe to repeat: /) as string,
      schema: { type: 'string', maxLength: 1000 },
    })
  })

  test('has each operation once, without path aliases', () => {
    const ids = operations().map(({ operationId }) => operationId)

    expect(new Set(ids).size).toBe(ids.length)
    expect(Object.keys(document.paths).filter((path) => path.startsWith('/v2/interact'))).toEqual([])
  })

  test('describes files as bytes, and their errors as JSON', () => {
    const bytes = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }
    const { get: download } = document.paths['/v2/browser/{id}/files/{name}'] ?? {}
    const { post: upload } = document.paths['/v2/browser/{id}/files'] ?? {}

    expect(download?.responses).toMatchObject({
      200: { content: bytes },
      '4XX': { content: { 'application/json': {} } },
    })
    expect(upload?.requestBody?.content).toEqual(bytes)
  })

  test('has no errors for the linter of its standard', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source: JSON.stringify(document), config })

    expect(
      problems
        .filter(({ severity }) => severity === 'error')
        .map(({ message, location }) => [message, location[0]?.pointer]),
    ).toEqual([])
  })

  test('defines each shared schema once', () => {
    const { schemas } = document.components
    const text = JSON.stringify(document)

    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining([
        'CreateSessionRequest',
        'Document',
        'Failure',
        'Format',
        'ScrapeRequest',
        'ScrapeResponse',
      ]),
    )
    expect(Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`))).toEqual([])
  })

  test('has the paths of version 1, also those of routes that both versions share', () => {
    expect(document.paths).toHaveProperty(['/v1/team/token-usage/historical', 'get', 'operationId'], 'tokenHistoryV1')
    expect(document.paths).toHaveProperty(['/v1/crawl/{id}', 'delete', 'tags'], ['Version 1'])
    expect(Object.keys(document.paths)).not.toContain('/v2/interact')
  })

  test('allows strings where the server accepts them', () => {
    // The other schema is that of the page of a session.
    const scrape = named(bodyOf('/v2/scrape').anyOf?.[0]).properties ?? {}
    const search = bodyOf('/v2/search').properties ?? {}

    expect(named(scrape['formats']?.items).anyOf?.[0]?.enum).toEqual(
      expect.arrayContaining(['markdown', 'screenshot@fullPage']),
    )
    expect(named(scrape['parsers']).items?.anyOf?.[0]).toEqual({ type: 'string', enum: ['pdf', 'image'] })
    expect(search['sources']?.items?.anyOf?.[0]?.enum).toContain('news')
    expect(named(bodyOf('/v2/batch/scrape').properties?.['webhook']).anyOf?.[0]).toEqual({ type: 'string' })
  })

  test('describes both bodies of a file to parse', () => {
    const { post } = document.paths['/v2/parse'] as unknown as { post: { requestBody: { content: object } } }

    expect(post.requestBody.content).toMatchObject({
      'multipart/form-data': { schema: { required: ['file'] } },
      'application/json': { schema: { required: ['uploadRef'] } },
    })
  })

  const paths = ['/openapi.json', '/docs/json', '/docs/yaml']

  test('is serialized once, for any number of requests, hosts and paths', async () => {
    const serialize = vi.spyOn(JSON, 'stringify')
    const receive = async (path: string, host: string) => download(`${lab.server.url}${path}`, { host })

    const bodies = [
      ...(await Promise.all(['/openapi.json', '/docs/json'].map(async (path) => receive(path, 'a.example')))),
      ...(await Promise.all(['a.example', 'b.example:1', `a"'b`].map(async (host) => receive('/openapi.json', host)))),
    ].map(({ body }) => body)

    const documents = serialize.mock.calls.filter(([value]) => isDocument(value))
    serialize.mockRestore()
    expect(documents.length).toBeLessThanOrEqual(1)
    expect(bodies.map((body) => /fetch\(.{0,3}"(.*?)\/v2/.exec(body)?.[1])).toEqual([
      'http://a.example',
      'http://a.example',
      'http://a.example',
      'http://b.example:1',
      'http://localhost',
    ])
    expect(bodies.map((body) => isDocument(JSON.parse(body)))).toEqual([true, true, true, true, true])
  })

  test.each(paths)('has an ETag for each host at %s', async (path) => {
    const url = `${lab.server.url}${path}`
    const first = await download(url, { host: 'a.example' })
    const etag = String(first.headers.etag)

    const again = await download(url, { host: 'a.example', 'if-none-match': etag })
    const other = await download(url, { host: 'a.example', 'if-none-match': '"other"' })
    const compressed = await download(url, { host: 'a.example', 'if-none-match': `"other", W/${etag}` })

    expect([first.status, again.status, other.status, compressed.status]).toEqual([200, 304, 200, 304])
    expect([first.body.length > 100_000, again.body, other.body === first.body]).toEqual([true, '', true])
  })

  test('has another ETag for another host', async () => {
    const etags = ['a.example', 'b.example'].map(async (host) => {
      const { headers } = await download(`${lab.server.url}/openapi.json`, { host })
      return headers.etag
    })

    expect(new Set(await Promise.all(etags)).size).toBe(2)
  })
})

function isDocument(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'openapi' in value && 'paths' in value
}

/** Requests a URL with headers that `fetch` does not send. */
async function download(url: string, headers: OutgoingHttpHeaders) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers }, resolve).once('error', reject)
  })
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}
