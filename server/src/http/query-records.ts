import { z } from 'zod'
import { BowlineError } from 'bowline/kit/errors'

/**
 * Returns a query in which `metadata[key]=value` is `{ metadata: { key: value } }`, for each field
 * that is a record in the schema. OpenAPI calls this form `deepObject`. Throws BAD_REQUEST.
 */
export function collectRecords(schema: z.ZodType, query: unknown): unknown {
  const fields = recordFields(schema)
  if (fields.length === 0 || typeof query !== 'object' || query === null) return query
  const collected: Record<string, unknown> = {}
  const records = new Map<string, [string, unknown][]>()
  for (const [name, value] of Object.entries(query)) {
    const [, field = '', key = ''] = /^(\w+)\[(.*)\]$/s.exec(name) ?? []
    // Zod drops this key, so a filter by it would list everything.
    if (fields.includes(field) && key === '__proto__') {
      throw new BowlineError('BAD_REQUEST', `\`${field}\` cannot have the key "__proto__"`)
    }
    if (fields.includes(field)) records.set(field, [...(records.get(field) ?? []), [key, value]])
    else collected[name] = value
  }
  for (const [field, entries] of records) collected[field] = Object.fromEntries(entries)
  return collected
}

/** Names of the fields of a query that are records. */
export function recordFields(schema: z.ZodType): readonly string[] {
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape).flatMap(([name, field]) => {
    const inner = field instanceof z.ZodOptional ? field.unwrap() : field
    return inner instanceof z.ZodRecord ? [name] : []
  })
}
