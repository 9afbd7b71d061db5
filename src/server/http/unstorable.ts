import { z } from 'zod'

/** Finds a text with the character U+0000, which no store can keep. Answers what is wrong and where; undefined: there is none. */
export const findUnstorable = (data: unknown): z.ZodError | undefined => {
  // No recursion: a body may be nested as deep as it is long.
  const left: { readonly value: unknown; readonly path: readonly string[] }[] = [{ value: data, path: [] }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, path } = next
    if (typeof value === 'string' && value.includes('\0')) {
      const message = 'A text must not hold the character U+0000'
      return new z.ZodError([{ code: 'custom', path: [...path], message, input: value }])
    }
    if (!isPlain(value)) continue
    // Deeper down, the place says nothing to anybody.
    for (const [key, inner] of Object.entries(value)) {
      left.push({ value: inner, path: path.length < 20 ? [...path, key] : path })
    }
  }
  return undefined
}

/** Whether a value came out of JSON, or out of a query: bytes and streams are stored otherwise. */
const isPlain = (value: unknown): value is object => {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}
