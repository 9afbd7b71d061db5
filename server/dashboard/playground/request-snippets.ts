import { paths } from 'bowline/contract/paths'
import { newClient } from '../components/new-client.ts'
import type { Snippets } from '../components/snippet.tsx'
import type { PlaygroundRoute } from './use-request.ts'

/** Snippets of a request. `call` is the TypeScript call of the client. */
export function requestSnippets(name: PlaygroundRoute, body: unknown, call: string): Snippets {
  return {
    TypeScript: `${newClient()}
${call}`,
    curl: `curl -X POST ${location.origin}${paths[name].path} \\
  -H "Authorization: Bearer $BOWLINE_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`,
  }
}
