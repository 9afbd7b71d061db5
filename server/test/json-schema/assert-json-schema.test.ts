import { describe, expect, test } from 'vitest'
import { assertJsonSchema } from '../../src/json-schema/assert-json-schema.ts'

describe('assertJsonSchema', () => {
  test.each([
    [{ type: 'nope' }, 'schema.type is "nope"'],
    [{ type: ['string', 'nope'] }, 'schema.type is "nope"'],
    [{ type: 5 }, 'schema.type is 5'],
    [{ properties: ['title'] }, 'schema.properties must be an object'],
    [{ properties: { title: 'string' } }, 'schema.properties.title must be an object or a boolean'],
    [{ properties: { a: { items: 3 } } }, 'schema.properties.a.items must be an object or a boolean'],
    [{ items: [{ type: 'nope' }] }, 'schema.items.0.type is "nope"'],
    [{ anyOf: { type: 'string' } }, 'schema.anyOf must be an array'],
    [{ $defs: { a: { type: 'x' } } }, 'schema.$defs.a.type is "x"'],
    [{ required: 'title' }, 'schema.required must be an array'],
    [{ enum: 'red' }, 'schema.enum must be an array'],
    [{ $ref: 1 }, 'schema.$ref must be a string'],
  ])('refuses %j', (schema, reason) => {
    expect(() => assertJsonSchema(schema)).toThrow(`Invalid JSON schema: ${reason}`)
  })

  test.each([
    ['an empty one', {}],
    ['one without keywords', { a: 1 }],
    ['any object', { type: 'object', additionalProperties: true }],
    ['draft 3', { type: 'any', properties: { a: { type: ['string', { type: 'null' }], required: true } } }],
    ['draft 4', { id: 'http://a.test/x#', properties: { a: { type: 'number', minimum: 0, exclusiveMinimum: true } } }],
    ['tuples of draft 7', { items: [{ type: 'string' }, true], additionalItems: false }],
    [
      'OpenAPI',
      { type: 'object', nullable: true, properties: { a: { type: 'string', example: 'x', nullable: true } } },
    ],
    ['upper-case types', { type: 'OBJECT', properties: { a: { type: 'STRING' } } }],
    [
      'references',
      { $defs: { a: {} }, anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/missing' }, { $ref: 'https://a.test' }] },
    ],
    ['properties named as keywords', { properties: { type: { type: 'string' }, items: true, required: {} } }],
    ['data named as keywords', { const: { type: 'nope' }, default: { properties: 1 }, enum: [{ type: 'nope' }] }],
    ['the keyword null', { type: null, properties: null, items: null }],
  ])('accepts %s', (_, schema) => {
    expect(() => assertJsonSchema(schema)).not.toThrow()
  })

  test('shortens long paths at their start', () => {
    let schema: Record<string, unknown> = { type: 'nope' }
    for (let depth = 0; depth < 200; depth += 1) schema = { not: schema }
    expect(() => assertJsonSchema(schema)).toThrow(
      /^Invalid JSON schema: ….{400,}\.not\.type is "nope", which is not a JSON Schema type$/,
    )
  })

  test('accepts schemas of any depth', () => {
    let schema: Record<string, unknown> = { type: 'string' }
    for (let depth = 0; depth < 20_000; depth += 1) schema = { not: schema }
    expect(() => assertJsonSchema(schema)).not.toThrow()
  })
})
