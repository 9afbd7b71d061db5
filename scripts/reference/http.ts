import { z } from 'zod'
import { writeShorthands } from '../../src/contract/shorthand.ts'
import { addressesOf } from '../../src/contract/fill-path.ts'
import { routes, type Route } from '../../src/contract/routes.ts'
import { nameSchemas } from '../../server/src/http/openapi-components.ts'
import { curlExample } from './curl-example.ts'
import { page, table } from './markdown.ts'
import { readFieldComments } from './field-comments.ts'

const registry = nameSchemas(readFieldComments())

/** Generates the page of all routes from the route table. */
export function describeHttp(): string {
  const sections = Object.groupBy(Object.entries<Route>(routes), ([, { path }]) => sectionOf(path))
  return page([
    '# HTTP API',
    'Every route requires `Authorization: Bearer <API key>`. A running server serves the OpenAPI document at `/openapi.json` and interactive documentation at `/docs`. The curl examples on this page send requests to a server on your own machine; `/docs` also shows them in TypeScript and Python. Error codes are listed in [Errors](errors.md).',
    'The schemas of the document have the names of the types in `bowline/contract`. Fields with a default are optional in requests: generate a client with `npx openapi-typescript URL/openapi.json --default-non-nullable=false`.',
    ...Object.entries(sections).flatMap(([name, members = []]) => [`## ${name}`].concat(members.map(describeRoute))),
    '## Objects',
    ...[...types.keys()]
      .toSorted((one, other) => one.localeCompare(other))
      .map((name) => `### ${name}\n\n${types.get(name)?.table}`),
  ])
}

/** Returns the first segment of a path after the version. */
function sectionOf(path: string): string {
  return path.split('/')[2] ?? path
}

function describeRoute([name, route]: readonly [string, Route]): string {
  const others = addressesOf(route).flatMap(({ path, isAlias }) => (isAlias ? [path] : []))
  return page([
    `### ${route.method} ${route.path}`,
    `${route.summary}.${others.length === 0 ? '' : ` Also ${others.map((path) => `\`${path}\``).join(', ')}.`}`,
    curlExample(name, route),
    describeFields('Headers', route.headers, 'input'),
    describeFields('Query', route.query, 'input'),
    describeFields('Body', route.body, 'input'),
    describeFields('Response', route.response, 'output'),
  ]).trimEnd()
}

export type Io = 'input' | 'output'
type Row = readonly string[]

interface JsonSchema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly description?: string
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
}

/**
 * Tables of the named objects that other tables refer to. An object of requests and responses is
 * described as in requests, whatever is read first.
 */
const types = new Map<string, { readonly io: Io; readonly table: string }>()
let definitions: Readonly<Record<string, JsonSchema>> = {}

function describeFields(title: string, schema: z.ZodType | undefined, io: Io): string | undefined {
  if (schema === undefined) return undefined
  const rows = tableOf(readSchema(schema, io), io)
  return rows === '' ? undefined : `**${title}**\n\n${rows}`
}

/**
 * Describes a schema for another page: the fields of an object without those in `omitted`, or the
 * values of any other type.
 */
export function describeSchema(schema: z.ZodType, io: Io, omitted: readonly string[]): string {
  const { properties, ...field } = readSchema(schema, io)
  const kept = Object.entries(properties ?? {}).filter(([name]) => !omitted.includes(name))
  const text =
    kept.length === 0
      ? `Values: ${typeOf(field, io)}.`
      : tableOf({ ...field, properties: Object.fromEntries(kept) }, io)
  return text.replaceAll('](#', '](http.md#')
}

/** Converts a schema to JSON Schema. Its definitions are used until the next call. */
function readSchema(schema: z.ZodType, io: Io): JsonSchema {
  const { $defs = {}, ...root } = writeShorthands(
    z.toJSONSchema(schema, { io, unrepresentable: 'any', metadata: registry }),
  ) as JsonSchema
  definitions = $defs
  return resolve(root)
}

function resolve(field: JsonSchema): JsonSchema {
  const { $ref, ...rest } = field
  return $ref === undefined ? field : { ...resolve(definitions[nameOf($ref)] ?? {}), ...rest }
}

function nameOf(reference: string): string {
  return reference.split('/').at(-1) ?? reference
}

function tableOf(field: JsonSchema, io: Io): string {
  const rows = rowsOf(field, io)
  if (rows.length === 0) return ''
  const head = io === 'input' ? ['Field', 'Type', 'Default', 'Description'] : ['Field', 'Type', 'Description']
  return table(head, rows)
}

/** Maximum number of rows of an object in another. Those of larger ones are left out. */
const maxNested = 20

/**
 * Returns the rows of an object. A union has those of its first object, and what the others add.
 */
function rowsOf(field: JsonSchema, io: Io, prefix = ''): readonly Row[] {
  const [first, ...others] = [field, ...(field.anyOf ?? field.oneOf ?? field.allOf ?? [])]
    .map(resolve)
    .filter(({ properties }) => properties !== undefined)
  if (first === undefined) return []
  const added = Object.assign({}, ...others.map(({ properties }) => properties)) as typeof first.properties
  const properties = { ...first.properties, ...added, ...first.properties }
  return Object.entries(properties).flatMap(([name, each]) => {
    const title = `\`${prefix}${name}\`${first.required?.includes(name) === true ? '' : '?'}`
    const defaultValue = each.default === undefined ? '' : `\`${JSON.stringify(each.default)}\``
    const type = typeOf(each, io)
    const description = resolve(each).description ?? ''
    const row: Row = io === 'input' ? [title, type, defaultValue, description] : [title, type, description]
    const inner = each.items === undefined ? { from: each, mark: '.' } : { from: each.items, mark: '[].' }
    // The rows of a named object are in its own section.
    const nested = inner.from.$ref === undefined ? rowsOf(inner.from, io, `${prefix}${name}${inner.mark}`) : []
    return nested.length > maxNested ? [row] : [row].concat(nested)
  })
}

function typeOf(field: JsonSchema, io: Io): string {
  if (field.$ref !== undefined) return typeOfNamed(nameOf(field.$ref), io)
  const choices = field.anyOf ?? field.oneOf
  if (choices !== undefined) {
    const types = [...new Set(choices.flatMap((choice) => typeOf(choice, io).split(' or ')))]
    // The shorthand string of an object that has only a type describes it already.
    return types.filter((type) => types.length === 1 || !/^\{ type: "\w+" \}$/.test(type)).join(' or ')
  }
  if (field.const !== undefined) return `\`${JSON.stringify(field.const)}\``
  if (field.enum !== undefined) return field.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (field.items !== undefined) {
    const item = typeOf(field.items, io)
    return item.includes(' or ') ? `array of (${item})` : `array of ${item}`
  }
  const kind = field.properties?.['type']?.const
  if (kind !== undefined)
    return `{ type: ${JSON.stringify(kind)}${Object.keys(field.properties ?? {}).length > 1 ? ', …' : ''} }`
  const name = typeof field.type === 'string' ? field.type : (field.type?.join(' or ') ?? 'any')
  return [name, field.format === 'date-time' ? '(ISO 8601)' : '', boundsOf(field)]
    .filter((text) => text !== '')
    .join(' ')
}

/** Links to the section of a named object. Other named types are described in place. */
function typeOfNamed(name: string, io: Io): string {
  const field = resolve(definitions[name] ?? {})
  if (field.properties === undefined) return typeOf(field, io)
  if (!types.has(name) || (io === 'input' && types.get(name)?.io === 'output')) {
    // Marks it as known first, because an object can contain itself.
    types.set(name, { io, table: '' })
    types.set(name, { io, table: tableOf(field, io) })
  }
  const kind = field.properties['type']?.const
  if (kind !== undefined && Object.keys(field.properties).length === 1) return typeOf(field, io)
  const title = kind === undefined ? name : `{ type: ${JSON.stringify(kind)}, … }`
  return `[${title}](#${name.toLowerCase()})`
}

function boundsOf({ minimum, maximum, minLength, maxLength }: JsonSchema): string {
  const [from, to] = [minimum ?? minLength, maximum ?? maxLength]
  const isOpen = to === undefined || to >= Number.MAX_SAFE_INTEGER
  if (from === undefined || from <= Number.MIN_SAFE_INTEGER) return isOpen ? '' : `≤ ${to}`
  return isOpen ? `≥ ${from}` : `${from}–${to}`
}
