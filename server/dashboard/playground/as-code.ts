/** Formats a value as TypeScript. */
export function asCode(value: unknown): string {
  return (
    JSON.stringify(value, null, 2)
      .replaceAll(/^(\s*)"(\w+)":/gm, '$1$2:')
      // Only arrays have line breaks next to their brackets, and texts have none.
      .replaceAll(/\[\n\s*([^[\]{}]{0,80}?)\n\s*\]/g, (_, items: string) => `[${items.replaceAll(/\s*\n\s*/g, ' ')}]`)
      // Matches whole strings. Otherwise the text between two strings would match as well.
      .replaceAll(/"(?:[^"\\]|\\.)*"/g, (quoted) => (/[\\']/.test(quoted) ? quoted : `'${quoted.slice(1, -1)}'`))
  )
}

/** Formats a value as a Python literal, on one line. */
export function asPython(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(asPython).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const items = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${asPython(each)}`)
  return `{${items.join(', ')}}`
}
