const url = 'https://example.com'
const markdown = { formats: ['markdown'] }
const cookie = { name: 'user', value: 'ann', domain: 'example.com', path: '/', expires: -1, sameSite: 'Lax' }
const profileState = { cookies: [{ ...cookie, httpOnly: true, secure: true }], origins: [] }
const prices = { prompt: 'Which boats are there?' }

/**
 * Bodies that `/docs` shows and sends, by operation. Without them it would show a value for every
 * field of a body.
 */
export const requestExamples: Readonly<Record<string, unknown>> = {
  confirmEmail: { token: 'the token in the link of the email' },
  unsubscribeEmail: { token: 'the token in the link of the email' },
  createSession: { ttl: 120, activityTtl: 60, name: 'Orders' },
  deleteSessionByBody: { id: '019cc1f0-0000-7000-8000-000000000000' },
  updateSession: { ttl: 600 },
  interact: { code: 'await page.title()' },
  startAgent: { ...prices, urls: [url], maxCredits: 100 },
  execute: { code: 'await page.title()', language: 'node' },
  startHandoff: { instructions: 'Sign in' },
  createKey: { name: 'ci' },
  importStorageState: profileState,
  setSecret: { value: 'secret', origins: [url] },
  map: { url, limit: 100 },
  mapV1: { url, limit: 100 },
  startBatch: { urls: [url], ...markdown },
  startV1Batch: { urls: [url], ...markdown },
  startCrawl: { url, limit: 10, scrapeOptions: markdown },
  startV1Crawl: { url, limit: 10, scrapeOptions: markdown },
  previewCrawl: { url, prompt: 'Only the documentation' },
  scrape: { url, ...markdown },
  scrapeSession: markdown,
  v1Scrape: { url, ...markdown },
  createParseUpload: { filename: 'report.pdf' },
  search: { query: 'tide tables', limit: 5 },
  searchV1: { query: 'tide tables', limit: 5 },
  createMonitor: {
    name: 'Pricing',
    schedule: { text: 'daily at 9:00', timezone: 'Europe/Berlin' },
    targets: [{ type: 'scrape', urls: [url] }],
  },
  updateMonitor: { name: 'Prices' },
  createTeam: { name: 'press', credits: 10_000 },
  updateTeam: { addCredits: 500 },
  startExtract: { urls: [url], ...prices },
  startExtractV1: { urls: [url], ...prices },
}

/** Names of the files that samples upload, by operation. */
export const uploadExamples: Readonly<Record<string, string>> = {
  uploadFile: 'tides.csv',
  uploadExtension: 'extension.zip',
}

/** Content of `POST /v2/parse`: a file, or the reference of one that was uploaded before. */
export const formContent = {
  'multipart/form-data': {
    schema: {
      type: 'object',
      properties: {
        options: {
          type: 'string',
          description: 'Options of a scrape as JSON, such as `{"formats":["markdown"]}`',
          example: '{"formats":["markdown"]}',
        },
        file: { type: 'string', format: 'binary' },
      },
      required: ['file'],
    },
  },
  'application/json': {
    schema: {
      type: 'object',
      properties: {
        uploadRef: {
          type: 'string',
          description: 'Reference of a file that was uploaded with `POST /v2/parse/upload-url`',
        },
      },
      required: ['uploadRef'],
      additionalProperties: { description: 'Options of a scrape, such as `formats`' },
    },
  },
} as const

/**
 * Values that `/docs` shows and sends for parameters of a query. Without that of `metadata`, it
 * would list only sessions with made-up metadata.
 */
function exampleOf(name: string, operationId: string): unknown {
  if (name === 'limit') return 10
  if (name === 'metadata') return {}
  return name === 'name' ? uploadExamples[operationId] : undefined
}

interface Parameter {
  readonly in: string
  readonly name: string
  readonly example?: unknown
}

interface Operation {
  readonly operationId?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, object>> }
}

/** Adds the examples to the parameters and JSON bodies of an OpenAPI document. */
export function addExamples<Document extends object>(document: Document): Document {
  const { paths = {} } = document as { readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>> }
  const withExamples = Object.entries(paths).map(([path, operations]) => {
    const described = Object.entries(operations).map(
      ([method, operation]) => [method, describeBody(describeParameters(operation))] as const,
    )
    return [path, Object.fromEntries(described)] as const
  })
  return { ...document, paths: Object.fromEntries(withExamples) }
}

function describeParameters(operation: Operation): Operation {
  const { operationId = '', parameters } = operation
  if (parameters === undefined) return operation
  const describe = (parameter: Parameter): Parameter => {
    const example = parameter.in === 'query' ? exampleOf(parameter.name, operationId) : undefined
    return example === undefined ? parameter : { ...parameter, example }
  }
  return { ...operation, parameters: parameters.map(describe) }
}

function describeBody(operation: Operation): Operation {
  const { operationId = '', requestBody } = operation
  const json = requestBody?.content['application/json']
  const example = requestExamples[operationId]
  if (json === undefined || example === undefined) return operation
  const content = { ...requestBody?.content, 'application/json': { ...json, example } }
  return { ...operation, requestBody: { ...requestBody, content } }
}
