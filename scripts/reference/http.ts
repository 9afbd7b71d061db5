import { z } from 'zod'
import { writeShorthands } from '../../src/contract/shorthand.ts'
import { addressesOf } from '../../src/contract/fill-path.ts'
import { routes, type Route } from '../../src/contract/routes.ts'
import { readFieldComments } from './field-comments.ts'
import { page, table } from './markdown.ts'

const comments = await readFieldComments()

/** Generates the page of all routes from the route table. */
export function describeHttp(): string {
  const sections = Object.groupBy(Object.values<Route>(routes), ({ path }) => sectionOf(path))
  return page([
    '# HTTP API',
    'Every route requires `Authorization: Bearer <API key>`. A running server has the OpenAPI document at `/openapi.json` and interactive documentation at `/docs`. For errors, see [errors](errors.md).',
    'The schemas of the document have the names of the types in `bowline/contract`. Fields with a default are optional in requests: generate a client with `npx openapi-typescript URL/openapi.json --default-non-nullable=false`.',
    ...Object.entries(sections).flatMap(([name, members = []]) => [`## ${name}`].concat(members.map(describeRoute))),
  ])
}

/** Returns the first segment of a path after the version. */
function sectionOf(path: string): string {
  return path.split('/')[2] ?? path
}

function describeRoute(route: Route): string {
  const others = addressesOf(route).flatMap(({ path, isAlias }) => (isAlias ? [path] : []))
  return page([
    `### ${route.method} ${route.path}`,
    `${route.summary}.${others.length === 0 ? '' : ` Also ${others.map((path) => `\`${path}\``).join(', ')}.`}`,
    describeFields('Query', route.query, 'input'),
    describeFields('Body', route.body, 'input'),
    describeFields('Response', route.response, 'output'),
  ]).trimEnd()
}

function describeFields(title: string, schema: z.ZodType | undefined, io: 'input' | 'output'): string | undefined {
  if (schema === undefined) return undefined
  const rows = fieldsOf(schema, io)
  if (rows.length === 0) return undefined
  return `**${title}**\n\n${table(io === 'input' ? ['Field', 'Type', 'Default', 'Description'] : ['Field', 'Type', 'Description'], rows)}`
}

interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
}

function fieldsOf(schema: z.ZodType, io: 'input' | 'output'): readonly (readonly string[])[] {
  const { properties = {}, required = [] } = writeShorthands(
    z.toJSONSchema(schema, { io, unrepresentable: 'any' }),
  ) as JsonSchema
  return Object.entries(properties).map(([name, field]) => {
    const title = `\`${name}\`${required.includes(name) ? '' : '?'}`
    const defaultValue = field.default === undefined ? '' : `\`${JSON.stringify(field.default)}\``
    const description = comments(schema, name)
    return io === 'input' ? [title, typeOf(field), defaultValue, description] : [title, typeOf(field), description]
  })
}

function typeOf(field: JsonSchema): string {
  const choices = field.anyOf ?? field.oneOf
  if (choices !== undefined) {
    const types = [...new Set(choices.flatMap((choice) => typeOf(choice).split(' or ')))]
    // The shorthand string of an object that has only a type describes it already.
    return types.filter((type) => types.length === 1 || !/^\{ type: "\w+" \}$/.test(type)).join(' or ')
  }
  if (field.const !== undefined) return `\`${JSON.stringify(field.const)}\``
  if (field.enum !== undefined) return field.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (field.items !== undefined) {
    const item = typeOf(field.items)
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

function boundsOf({ minimum, maximum, minLength, maxLength }: JsonSchema): string {
  const [from, to] = [minimum ?? minLength, maximum ?? maxLength]
  const isOpen = to === undefined || to >= Number.MAX_SAFE_INTEGER
  if (from === undefined || from <= Number.MIN_SAFE_INTEGER) return isOpen ? '' : `≤ ${to}`
  return isOpen ? `≥ ${from}` : `${from}–${to}`
}
