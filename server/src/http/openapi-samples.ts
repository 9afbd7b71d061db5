import { writeSamples, type CodeSample, type SampleRequest } from './code-samples.ts'
import { uploadExamples } from './openapi-examples.ts'

interface Parameter {
  readonly in: string
  readonly name: string
  readonly example?: unknown
}

interface Content {
  readonly example?: unknown
  readonly schema?: { readonly properties?: Readonly<Record<string, { readonly example?: unknown }>> }
}

interface Operation {
  readonly operationId?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> }
  readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

/**
 * Adds code samples to the operations of an OpenAPI document, as `x-codeSamples`. They send the
 * examples of the parameters and of the body to the server at `baseUrl`.
 */
export function addCodeSamples<Document extends object>(document: Document, baseUrl: string): Document {
  const { paths = {} } = document as { readonly paths?: Paths }
  const withSamples = Object.entries(paths).map(([path, operations]) => {
    const described = Object.entries(operations).map(([method, operation]) => {
      const samples = samplesOf(operation, { method: method.toUpperCase(), url: `${baseUrl}${exampleOfPath(path)}` })
      return [method, { ...operation, 'x-codeSamples': samples }] as const
    })
    return [path, Object.fromEntries(described)] as const
  })
  return { ...document, paths: Object.fromEntries(withSamples) }
}

function samplesOf(
  operation: Operation,
  { method, url }: Pick<SampleRequest, 'method' | 'url'>,
): readonly CodeSample[] {
  const query = (operation.parameters ?? []).flatMap(({ in: part, name, example }) =>
    part === 'query' && (typeof example === 'string' || typeof example === 'number')
      ? [`${name}=${encodeURIComponent(example)}`]
      : [],
  )
  const types = Object.keys(operation.responses?.['200']?.content ?? {})
  const isDownload = types.some((type) => type !== 'application/json')
  return writeSamples({
    method,
    url: query.length === 0 ? url : `${url}?${query.join('&')}`,
    ...bodyOf(operation),
    download: isDownload ? url.split('/').at(-1) : undefined,
  })
}

function bodyOf({ operationId = '', requestBody }: Operation): Omit<SampleRequest, 'method' | 'url'> {
  const [type, { example, schema } = {}] = Object.entries(requestBody?.content ?? {})[0] ?? []
  if (type === undefined) return { headers: {} }
  if (type === 'multipart/form-data') {
    const options = schema?.properties?.['options']?.example
    return { headers: {}, form: { options: String(options), file: '@report.pdf' } }
  }
  const headers = { 'Content-Type': type }
  if (type === 'application/octet-stream') return { headers, upload: uploadExamples[operationId] }
  return { headers, body: JSON.stringify(example, null, 2) }
}

/** Collections whose name is not that of their items. */
const items: Readonly<Record<string, string>> = { browser: 'session', 'batch/scrape': 'batch' }

/**
 * Replaces the parameters of a path with the names of values to fill in:
 * `/v2/browser/profiles/{name}` becomes `/v2/browser/profiles/PROFILE_NAME`.
 */
export function exampleOfPath(path: string): string {
  return path.replaceAll(/(batch\/scrape|[\w-]+)\/\{(\w+)\}/g, (_match, collection: string, name: string) => {
    const item = items[collection] ?? collection.replace(/ies$/, 'y').replace(/s$/, '')
    const words = /^(?:id|name)$/.test(name) ? `${item}_${name}` : name.replaceAll(/[A-Z]/g, '_$&')
    return `${collection}/${words.toUpperCase()}`
  })
}
