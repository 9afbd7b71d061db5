import { newClient } from '../components/new-client.ts'
import type { Snippets } from '../components/snippet.tsx'

/** The same request for a shell and for a program. `call` is what the client is asked to do. */
export function requestSnippets(path: string, body: unknown, call: string): Snippets {
  return {
    TypeScript: `${newClient()}
${call}`,
    curl: `curl -X POST ${location.origin}${path} \\
  -H "Authorization: Bearer $BOWLINE_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`,
  }
}
