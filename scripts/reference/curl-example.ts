import { z } from 'zod'
import type { Route } from '../../src/contract/routes.ts'
import type { CodeSample } from '../../server/src/http/code-samples.ts'
import { addExamples, formContent } from '../../server/src/http/openapi-examples.ts'
import { addCodeSamples } from '../../server/src/http/openapi-samples.ts'

/** The content of a request or response that is a file. */
const file = { 'application/octet-stream': {} }

/** Writes the request of a route as the page `/docs` of a server shows it for curl. */
export function curlExample(name: string, route: Route): string {
  const { method, path, query, streams } = route
  const parameters = Object.keys(query === undefined ? {} : (z.toJSONSchema(query, options).properties ?? {}))
  const content = contentOf(route)
  const operation = {
    operationId: name,
    parameters: parameters.map((parameter) => ({ in: 'query', name: parameter })),
    ...(content === undefined ? {} : { requestBody: { content } }),
    responses: streams === 'response' ? { 200: { content: file } } : {},
  }
  const document = addExamples({ paths: { [path]: { [method.toLowerCase()]: operation } } })
  const { paths } = addCodeSamples(document, 'http://127.0.0.1:3900')
  const described = paths[path]?.[method.toLowerCase()] as { readonly 'x-codeSamples'?: readonly CodeSample[] }
  const sample = described['x-codeSamples']?.find(({ label }) => label === 'curl')
  if (sample === undefined) throw new TypeError(`No example of ${method} ${path}`)
  return `\`\`\`sh\n${sample.source}\n\`\`\``
}

const options = { io: 'input', unrepresentable: 'any' } as const

function contentOf({ body, streams }: Route): Readonly<Record<string, object>> | undefined {
  if (streams === 'form') return formContent
  if (streams === 'request') return file
  return body === undefined ? undefined : { 'application/json': {} }
}
