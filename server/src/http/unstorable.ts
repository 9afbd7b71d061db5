import { z } from 'zod'

/** Where a value is: its key, and where what holds it is. */
interface Place {
  readonly key: string
  readonly above: Place | undefined
}

/** Finds a text with the character U+0000, which no store can keep. Answers what is wrong and where; undefined: there is none. */
export function findUnstorable(data: unknown): z.ZodError | undefined {
  // No recursion: a body may be nested hundreds of levels deep.
  const left: { readonly value: unknown; readonly place: Place | undefined }[] = [{ value: data, place: undefined }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, place } = next
    if (typeof value === 'string' && value.includes('\0')) {
      const path = [...pathOf(place)]
      const message = `\`${path.join('.')}\` must not contain the character U+0000`
      return new z.ZodError([{ code: 'custom', path, message, input: undefined }])
    }
    if (!isPlain(value)) continue
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === 'string' ? inner.includes('\0') : isPlain(inner)) {
        left.push({ value: inner, place: { key, above: place } })
      }
    }
  }
  return undefined
}

/** Deeper down than 20 levels, the place says nothing to anybody. */
function pathOf(place: Place | undefined): readonly string[] {
  const path: string[] = []
  for (let each = place; each !== undefined; each = each.above) path.unshift(each.key)
  return path.slice(0, 20)
}

/** Whether a value came out of JSON, or out of a query: bytes and streams are stored otherwise. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}
