/** A value as TypeScript writes it. */
export function asCode(value: unknown): string {
  return (
    JSON.stringify(value, null, 2)
      .replaceAll(/^(\s*)"(\w+)":/gm, '$1$2:')
      .replaceAll(/\[\s+([^[\]{}]{0,80}?)\s+\]/g, (_, items: string) => `[${items.replaceAll(/\s*\n\s*/g, ' ')}]`)
      // Whole texts, or the end of one and the beginning of the next would pass for a text between them.
      .replaceAll(/"(?:[^"\\]|\\.)*"/g, (quoted) => (/[\\']/.test(quoted) ? quoted : `'${quoted.slice(1, -1)}'`))
  )
}
