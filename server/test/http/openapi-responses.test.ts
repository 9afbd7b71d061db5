import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'

interface Schema {
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
}

interface Operation {
  readonly operationId?: string
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }>
  >
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

describe('the OpenAPI document describes', () => {
  let lab: Lab
  let document: Document
  let ajv: Ajv2020
  beforeAll(async () => {
    lab = await startLab()
    document = (await lab.api('GET', '/openapi.json', undefined, {})).body as unknown as Document
    ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, 'api')
  })
  afterAll(async () => lab[Symbol.asyncDispose]())

  const pointer = (...keys: readonly string[]): string =>
    keys.map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('')

  /** Returns why a body does not match the schema of its operation. */
  const faultsOf = (body: unknown, ...keys: readonly string[]): unknown => {
    const validate = ajv.compile({ $ref: `api#${pointer('paths', ...keys, 'content', 'application/json', 'schema')}` })
    validate(body)
    return validate.errors ?? []
  }

  const named = (name: string): Readonly<Record<string, Schema>> => document.components.schemas[name]?.properties ?? {}

  test.each(['/v2/scrape', '/v1/scrape'])('a failure with status 200 of %s', async (path) => {
    const { status, body } = await lab.api('POST', path, { url: 'http://nothing.invalid' })

    expect([status, body['success'], body['code']]).toEqual([200, false, 'SCRAPE_DNS_RESOLUTION_ERROR'])
    expect(faultsOf(body, path, 'post', 'responses', '200')).toEqual([])
    expect(faultsOf({ success: true }, path, 'post', 'responses', '200')).not.toEqual([])
  })

  test('the warning about unknown keys and parameters in every response of the contract', () => {
    const names = Object.values(document.paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ responses }) => responses['200']?.content['application/json']?.schema ?? [])
      .flatMap(({ $ref, anyOf = [] }) => ($ref ?? anyOf[0]?.$ref)?.split('/').at(-1) ?? [])

    expect(names.length).toBeGreaterThan(100)
    expect(names.filter((name) => named(name)['warning'] === undefined)).toEqual([])
  })

  test('the fields of agents, running checks and extractions of version 1', () => {
    expect(named('ExtractStatusResponse')).toMatchObject({ model: {}, stopReason: {} })
    expect(named('Failure')).toHaveProperty('checkId')
    expect(named('Document')).toHaveProperty('extract')
  })

  test('the content types of recordings', () => {
    const operation = document.paths['/v2/browser/{id}/recordings/{name}']?.['get']

    expect(operation?.responses['200']?.content).toEqual({
      'application/json': { schema: { type: 'object' } },
      'application/x-ndjson': { schema: { type: 'string' } },
      'text/html': { schema: { type: 'string' } },
      'video/webm': { schema: { type: 'string', format: 'binary' } },
      'image/webp': { schema: { type: 'string', format: 'binary' } },
    })
    expect(JSON.stringify(operation)).toContain(' -o ')
  })

  test.each([
    ['the action `generatePDF`', '/v2/scrape', { url: 'http://a.example', actions: [{ type: 'generatePDF' }] }],
    ['a single `url` of a target', '/v2/monitor', { targets: [{ type: 'scrape', url: 'http://a.example' }] }],
    ['`null` for no notification', '/v2/monitor', { notification: null }],
  ])('%s, which public clients send', (_what, path, fields) => {
    const monitor = {
      name: 'm',
      schedule: { text: 'daily' },
      targets: [{ type: 'scrape', urls: ['http://a.example'] }],
    }
    const body = path === '/v2/monitor' ? { ...monitor, ...fields } : fields

    expect(faultsOf(body, path, 'post', 'requestBody')).toEqual([])
  })

  test.each([
    ['/v2/scrape', { url: 'http://a.example', actions: [{ type: 'generatePDF', selector: 'a' }] }],
    ['/v2/monitor', { name: 'm', schedule: { text: 'daily' }, targets: [{ type: 'scrape' }] }],
  ])('no invalid body of %s', (path, body) => {
    expect(faultsOf(body, path, 'post', 'requestBody')).not.toEqual([])
  })
})
