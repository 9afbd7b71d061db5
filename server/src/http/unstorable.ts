import { z } from 'zod'

/** Path of a value, as a linked list from its key up to the root. */
interface Path {
  readonly key: string
  readonly parent: Path | undefined
}

/**
 * Finds a string with the character U+0000, which PostgreSQL cannot store. Returns the error with
 * its path, or `undefined` if there is none.
 */
export function findUnstorable(data: unknown): z.ZodError | undefined {
  // Iterative, because a body may be nested hundreds of levels deep.
  const stack: { readonly value: unknown; readonly path: Path | undefined }[] = [{ value: data, path: undefined }]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { value, path: at } = next
    if (typeof value === 'string' && value.includes('\0')) {
      const path = [...keysOf(at)]
      const message = `\`${path.join('.')}\` must not contain the character U+0000`
      return new z.ZodError([{ code: 'custom', path, message, input: undefined }])
    }
    if (!isPlain(value)) continue
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === 'string' ? inner.includes('\0') : isPlain(inner)) {
        stack.push({ value: inner, path: { key, parent: at } })
      }
    }
  }
  return undefined
}

/** Returns the keys of a path, the first 20 at most. */
function keysOf(path: Path | undefined): readonly string[] {
  const keys: string[] = []
  for (let each = path; each !== undefined; each = each.parent) keys.unshift(each.key)
  return keys.slice(0, 20)
}

/**
 * Returns whether a value is a plain object or array, as from JSON or a query. Bytes and streams
 * are not.
 */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}
