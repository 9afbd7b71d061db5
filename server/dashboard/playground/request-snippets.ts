import { paths } from 'bowline/contract/paths'
import { asPython } from './as-code.ts'
import { newClient } from '../components/new-client.ts'
import type { Snippets } from '../components/snippet.tsx'
import type { PlaygroundRoute } from './use-request.ts'

/** Snippets of a request. `call` is the TypeScript call of the client. */
export function requestSnippets(name: PlaygroundRoute, body: unknown, call: string): Snippets {
  return {
    TypeScript: `${newClient()}
${call}`,
    Python: `import json, os, urllib.request

request = urllib.request.Request(
    "${location.origin}${paths[name].path}",
    headers={
        "Authorization": f"Bearer {os.environ['BOWLINE_API_KEY']}",
        "Content-Type": "application/json",
    },
    data=json.dumps(${asPython(body)}).encode(),
)
with urllib.request.urlopen(request) as response:
    print(json.load(response))`,
    curl: `curl -X POST ${location.origin}${paths[name].path} \\
  -H "Authorization: Bearer $BOWLINE_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`,
  }
}
