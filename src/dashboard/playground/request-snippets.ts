import { newClient } from '../parts/new-client.ts'
import type { Snippets } from '../parts/snippet.tsx'

/** The same request for a shell and for a program. `call` is what the client is asked to do. */
export const requestSnippets = (path: string, body: unknown, call: string): Snippets => ({
  TypeScript: `${newClient()}
${call}`,
  curl: `curl -X POST ${location.origin}${path} \\
  -H "Authorization: Bearer $BOWLINE_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`,
})

/** A value as TypeScript writes it. */
export const asCode = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .replaceAll(/^(\s*)"(\w+)":/gm, '$1$2:')
    .replaceAll(/\[\s+([^[\]{}]{0,80}?)\s+\]/g, (_, items: string) => `[${items.replaceAll(/\s*\n\s*/g, ' ')}]`)
    // Whole texts, or the end of one and the beginning of the next would pass for a text between them.
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, (quoted) => (/[\\']/.test(quoted) ? quoted : `'${quoted.slice(1, -1)}'`))
