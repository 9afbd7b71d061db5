interface Operation {
  readonly summary?: string
  readonly responses?: Readonly<Record<string, { readonly description?: string }>>
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
