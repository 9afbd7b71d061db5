import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { compileSchema } from '../../src/json-schema/compile-schema.ts'
import { SchemaChecker } from '../../src/json-schema/schema-checker.ts'

/** Returns a schema whose checks double with each of its definitions. */
function doubling(count: number): Record<string, unknown> {
  const definitions: Record<string, unknown> = { a0: { type: 'object' } }
  for (let index = 1; index <= count; index += 1) {
    const reference = { $ref: `#/$defs/a${index - 1}` }
    definitions[`a${index}`] = { allOf: [reference, reference] }
  }
  return { $defs: definitions, $ref: `#/$defs/a${count}` }
}

function numbered<Value>(count: number, value: Value): Record<string, Value> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, value]))
}

describe('compileSchema', () => {
  it('checks recursive schemas', () => {
    const check = compileSchema({ type: 'object', properties: { child: { $ref: '#' } } })
    expect(check({ child: { child: {} } })).toBeUndefined()
    expect(check({ child: { child: 1 } })).toBe('data/child/child must be object')
  })

  it('compiles a large definition once, however many references it has', () => {
    const large = { type: 'object', properties: numbered(150, { type: 'string', minLength: 1 }) }
    const schema = { $defs: { large }, type: 'object', properties: numbered(150, { $ref: '#/$defs/large' }) }
    expect(compileSchema(schema)({ p7: { p8: 9 } })).toBe('data/p7/p8 must be string')
  })

  it('interrupts checks that would take forever', () => {
    expect(compileSchema(doubling(60))({})).toMatch(
      'the schema cannot be applied: checking the data takes more than 5 s',
    )
  })

  it('reports schemas that refer to themselves without end', () => {
    expect(compileSchema({ anyOf: [{ $ref: '#' }] })({})).toMatch('the schema cannot be applied: Maximum call stack')
  })

  it('refuses invalid schemas', () => {
    expect(() => compileSchema({ $ref: '#/$defs/missing' })).toThrow("can't resolve reference")
  })
})

/**
 * Returns a schema whose compiled code has the names of its 40 outer properties, escaped, in the
 * messages of each inner one.
 */
function hugeWhenCompiled(inner: number): Record<string, unknown> {
  let schema: Record<string, unknown> = { properties: numbered(inner, { type: 'string', minLength: 1 }) }
  for (let depth = 0; depth < 40; depth += 1) schema = { properties: { [depth + '一'.repeat(1500)]: schema } }
  return schema
}

describe('SchemaChecker', () => {
  it('survives schemas whose compiled code exceeds the memory', async () => {
    await using schemas = new SchemaChecker()
    // The code of the first one may just fit.
    await schemas.assertValid('team', hugeWhenCompiled(200)).catch(() => undefined)

    await expect(schemas.assertValid('team', hugeWhenCompiled(900))).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringMatching(/^Invalid JSON schema: (?:checking it took|compiling it takes)/),
    })
    expect(await schemas.checkerOf('team', { type: 'object' })(1)).toBe('data must be object')
  })

  it('checks results without blocking the server', async () => {
    await using schemas = new SchemaChecker()
    const check = schemas.checkerOf('team', doubling(60))({})
    expect(await Promise.race([check, setImmediate('free')])).toBe('free')
    expect(await check).toMatch('the schema cannot be applied: checking the data takes more than 5 s')
    expect(await schemas.checkerOf('team', { type: 'object' })(1)).toBe('data must be object')
    expect(await schemas.checkerOf('team', { type: 'object' })({})).toBeUndefined()
  })

  it('refuses invalid schemas, and all of them once it is disposed', async () => {
    const schemas = new SchemaChecker()
    const refused = { code: 'BAD_REQUEST', message: expect.stringMatching(/^Invalid JSON schema: can't resolve/) }
    await expect(schemas.assertValid('team', { $ref: '#/$defs/missing' })).rejects.toMatchObject(refused)
    await schemas[Symbol.asyncDispose]()
    await expect(schemas.assertValid('team', {})).rejects.toMatchObject({ code: 'DRAINING' })
  })
})
