import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** Descriptions of fields by module and path: `{ scrape: { 'scrapeFields.timeout': '…' } }`. */
export type FieldDescriptions = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Modules of the contract by name: `{ scrape: { scrapeFields, scrapeRequest, … } }`. */
export type ContractModules = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Reads the descriptions, which `npm run docs` collects from the comments of the contract. */
export function readDescriptions(): FieldDescriptions {
  return JSON.parse(readFileSync(new URL('field-descriptions.json', import.meta.url), 'utf8')) as FieldDescriptions
}

/**
 * Finds the schemas of the described fields. A schema that a module exports has no description,
 * since fields of other objects share it. Of several descriptions of a schema, the first counts.
 */
export function describeFields(
  modules: ContractModules,
  descriptions: FieldDescriptions,
): ReadonlyMap<z.ZodType, string> {
  const exported = new Set(Object.values(modules).flatMap((module) => Object.values(module)))
  const found = new Map<z.ZodType, string>()
  for (const [name, fields] of Object.entries(descriptions)) {
    for (const [path, text] of Object.entries(fields)) {
      const schemas = path
        .split('.')
        .reduce<readonly unknown[]>((at, key) => at.flatMap((each) => fieldsOf(each, key)), [modules[name] ?? {}])
      for (const schema of schemas) {
        if (schema instanceof z.ZodType && !exported.has(schema) && !found.has(schema)) found.set(schema, text)
      }
    }
  }
  return found
}

/** Returns the schemas that a key can have in an object, a union of objects or a list of them. */
function fieldsOf(value: unknown, key: string): readonly unknown[] {
  if (!(value instanceof z.ZodType)) return isRecord(value) && key in value ? [value[key]] : []
  if (value instanceof z.ZodObject) return key in value.shape ? [value.shape[key]] : []
  return innerOf(value).flatMap((each) => fieldsOf(each, key))
}

function innerOf(schema: z.ZodType): readonly unknown[] {
  if (schema instanceof z.ZodUnion) return schema.options
  if (schema instanceof z.ZodArray) return [schema.element]
  if (schema instanceof z.ZodPipe) return [schema.in, schema.out]
  if (schema instanceof z.ZodRecord) return [schema.valueType]
  if (schema instanceof z.ZodLazy) return [schema.unwrap()]
  return 'unwrap' in schema && typeof schema.unwrap === 'function' ? [schema.unwrap()] : []
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
