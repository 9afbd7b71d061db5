/**
 * A request of the page `/docs`, as its snippet generators receive it. The bodies of uploads are
 * not text.
 */
interface SnippetRequest {
  readonly get: (name: 'url' | 'method' | 'body' | 'headers') => unknown
}

interface SnippetHeaders {
  readonly entries: () => Iterable<readonly [string, string]>
}

/** The page itself: a constant where its options are evaluated. */
declare const ui: { readonly preauthorizeApiKey: (scheme: string, key: string) => void }

/**
 * Options of Swagger UI: requests can be sent at once, with the key of the dashboard if this tab
 * has one, and are shown for curl, TypeScript and Python. Functions are sent to the page as source,
 * so they refer to nothing outside of them.
 */
export const apiReferenceOptions = {
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  filter: true,
  requestSnippetsEnabled: true,
  requestSnippets: {
    generators: {
      curl_bash: { title: 'curl', syntax: 'bash' },
      typescript: { title: 'TypeScript', syntax: 'javascript' },
      python: { title: 'Python', syntax: 'python' },
    },
    defaultExpanded: true,
    languages: ['curl_bash', 'typescript', 'python'],
  },
  plugins: [createSnippetPlugin],
  onComplete: authorizeWithDashboardKey,
} as const

/** Signs in with the key that the dashboard has stored for this tab. */
function authorizeWithDashboardKey(): void {
  const key = sessionStorage.getItem('bowline.key')
  if (key !== null) ui.preauthorizeApiKey('bearer', key)
}

/** Creates the plugin that writes a request as a program. */
function createSnippetPlugin() {
  const headersOf = (request: SnippetRequest): Readonly<Record<string, string>> => {
    const headers = request.get('headers') as SnippetHeaders | undefined
    return Object.fromEntries(headers?.entries() ?? [])
  }
  const bodyOf = (request: SnippetRequest): string | undefined => {
    const body = request.get('body')
    return typeof body === 'string' && body !== '' ? body : undefined
  }
  const indent = (text: string): string => text.replaceAll('\n', '\n  ')
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }
  return {
    fn: {
      requestSnippetGenerator_typescript: (request: SnippetRequest): string => {
        const body = bodyOf(request)
        const json =
          body === undefined ? undefined : isJson(body) ? `JSON.stringify(${indent(body)})` : JSON.stringify(body)
        return [
          `const response = await fetch(${JSON.stringify(request.get('url'))}, {`,
          `  method: ${JSON.stringify(request.get('method'))},`,
          `  headers: ${indent(JSON.stringify(headersOf(request), null, 2))},`,
          ...(json === undefined ? [] : [`  body: ${json},`]),
          `})`,
          `console.log(await response.json())`,
        ].join('\n')
      },
      requestSnippetGenerator_python: (request: SnippetRequest): string => {
        const body = bodyOf(request)
        return [
          `import json, urllib.request`,
          ``,
          `request = urllib.request.Request(`,
          `  ${JSON.stringify(request.get('url'))},`,
          `  method=${JSON.stringify(request.get('method'))},`,
          `  headers=${indent(JSON.stringify(headersOf(request), null, 2))},`,
          ...(body === undefined
            ? []
            : [`  data=${JSON.stringify(isJson(body) ? JSON.stringify(JSON.parse(body)) : body)}.encode(),`]),
          `)`,
          `with urllib.request.urlopen(request) as response:`,
          `  print(json.load(response))`,
        ].join('\n')
      },
    },
  }
}
