import { newClient } from '../components/new-client.ts'
import type { Snippets } from '../components/snippet.tsx'

/** Snippets of a request. `call` is the TypeScript call of the client. */
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
