interface Schema {
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, object>>
}

interface Response {
  readonly description?: string
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}

interface Operation {
  readonly summary?: string
  readonly responses?: Readonly<Record<string, Response>>
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

/**
 * Describes the responses of an OpenAPI document: successful ones by the summary of their
 * operation.
 */
export function describeResponses<Document extends object>(document: Document): Document {
  const { paths = {} } = document as { readonly paths?: Paths }
  const described = Object.entries(paths).map(([path, operations]) => {
    const each = Object.entries(operations).map(([method, operation]) => [method, describeAll(operation)] as const)
    return [path, Object.fromEntries(each)] as const
  })
  return { ...document, paths: Object.fromEntries(described) }
}

/** Replaces the description that Fastify gives to responses without one. */
function describeAll(operation: Operation): Operation {
  const { summary = '', responses = {} } = operation
  const described = Object.entries(responses).map(([status, response]) => {
    const description = errors[status] ?? describe(summary)
    return [status, response.description === 'Default Response' ? { ...response, description } : response] as const
  })
  return { ...operation, responses: Object.fromEntries(described) }
}

const errors: Readonly<Record<string, string>> = {
  '4XX': 'An error of the request',
  '5XX': 'An error of the server',
}

/** `List the monitors of the team, newest first` describes the response `The monitors of …`. */
function describe(summary: string): string {
  const [, found] = /^(?:Get|List) ([^;]+)/.exec(summary) ?? []
  return found === undefined ? 'The request succeeded' : found.charAt(0).toUpperCase() + found.slice(1)
}

interface Described {
  readonly paths?: Paths
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

/**
 * Adds the field `warning` to the successful JSON responses of an OpenAPI document that do not
 * describe it: the server adds it to every response if the request has unknown keys or parameters.
 */
export function addWarnings<Document extends object>(document: Document): Document {
  const { paths = {}, components = {} } = document as Described
  const { schemas = {} } = components
  const bodies = Object.values(paths)
    .flatMap((operations) => Object.values(operations))
    .flatMap(({ responses }) => responses?.['200']?.content?.['application/json']?.schema ?? [])
  // The first schema of several is that of a success.
  const names = new Set(bodies.map(({ $ref, anyOf }) => $ref ?? anyOf?.[0]?.$ref))
  const described = Object.entries(schemas).map(([name, schema]) => {
    const isResponse = names.has(`#/components/schemas/${name}`)
    return [name, isResponse ? withWarning(schema) : schema] as const
  })
  return { ...document, paths, components: { ...components, schemas: Object.fromEntries(described) } }
}

const warning = {
  description: 'Names parts of the request that have no effect, such as unknown keys and query parameters.',
  type: 'string',
}

function withWarning(schema: Schema): Schema {
  return schema.properties === undefined
    ? schema
    : { ...schema, properties: { ...schema.properties, warning: schema.properties['warning'] ?? warning } }
}
