interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
}

interface Parameter {
  readonly in: string
  readonly schema?: JsonSchema
}

type Paths = Readonly<Record<string, Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>>>

/**
 * Describes how parameters of a query that are objects are written: `metadata[key]=value`, which
 * OpenAPI calls `deepObject`.
 */
export function describeRecords(paths: Paths, components: Readonly<Record<string, unknown>>): Paths {
  const isRecord = ({ schema = {}, in: part }: Parameter): boolean => {
    const name = schema.$ref?.split('/').at(-1)
    const { type } = name === undefined ? schema : ((components[name] ?? {}) as JsonSchema)
    return part === 'query' && type === 'object'
  }
  const describe = (parameter: Parameter) =>
    isRecord(parameter) ? { ...parameter, style: 'deepObject', explode: true } : parameter
  return mapValues(paths, (operations) =>
    mapValues(operations, (operation) =>
      operation.parameters === undefined ? operation : { ...operation, parameters: operation.parameters.map(describe) },
    ),
  )
}

function mapValues<Value>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value) => Value,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}
