import { z } from 'zod'
import { closest } from '../kit/closest.ts'

/** A key that is not part of a schema. */
export interface UnknownKey {
  /** Full path, such as `profile.save`. */
  readonly path: string
  /**
   * Path of this key in a nested object, such as `scrapeOptions.formats`, or else the most similar
   * known key. Undefined if there is neither, and for most of very many keys.
   */
  readonly suggestion: string | undefined
  /** Keys that the object can have. */
  readonly known: readonly string[]
}

/** Maximum number of unknown keys per object that get a suggestion, which takes time to find. */
const maxSuggestions = 25

/**
 * Finds the keys of a value and its nested objects that the schema would drop. Returns none for
 * schemas that keep all keys.
 */
export function findUnknownKeys(
  schema: z.ZodType,
  value: unknown,
  path: readonly string[] = [],
): readonly UnknownKey[] {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodPipe && inner.in instanceof z.ZodTransform) {
    return findUnknownKeys(inner.out as z.ZodType, inner.in.safeParse(value).data, path)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  const shapes = objectsIn(schema)
  if (shapes.length === 0 || shapes.some((shape) => shape.def.catchall instanceof z.ZodUnknown)) return []
  const names = [...new Set(shapes.flatMap((shape) => Object.keys(shape.shape)))]
  let count = 0
  return Object.entries(value).flatMap(([key, field]) => {
    if (field === undefined) return []
    const known = shapes.map(({ shape }) => shape[key] as z.ZodType | undefined).find((each) => each !== undefined)
    if (known !== undefined) return findUnknownKeys(known, field, [...path, key])
    count += 1
    const suggestion = count > maxSuggestions ? undefined : (findNested(shapes, key) ?? closest(key, names))
    return [{ path: [...path, key].join('.'), suggestion, known: names }]
  })
}

/** Returns the path of a key that one of the nested objects has. */
function findNested(shapes: readonly z.ZodObject[], key: string): string | undefined {
  const fields = shapes.flatMap(({ shape }) => Object.entries(shape))
  const owner = fields.find(([, field]) => objectsIn(field as z.ZodType).some(({ shape }) => key in shape))
  return owner && `${owner[0]}.${key}`
}

/** Formats an unknown key with its suggestion, for messages. */
export function describeUnknownKey({ path, suggestion }: UnknownKey): string {
  return `\`${path}\`${suggestion === undefined ? '' : ` (did you mean \`${suggestion}\`?)`}`
}

/** Returns the object schemas that a value of this schema can match. */
function objectsIn(schema: z.ZodType): readonly z.ZodObject[] {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodObject) return [inner]
  if (inner instanceof z.ZodUnion) return inner.options.flatMap((option) => objectsIn(option as z.ZodType))
  if (inner instanceof z.ZodPipe) return objectsIn(inner.out as z.ZodType)
  return []
}

function unwrapped(schema: z.ZodType): z.ZodType {
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  return isWrapper ? unwrapped(schema.unwrap() as z.ZodType) : schema
}
