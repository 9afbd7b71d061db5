import { sampleFunctions, writeSamples, type CodeSample, type SampleRequest } from './code-samples.ts'

/** The page loads its own files only. Its style sheet contains pictures. */
export const apiReferencePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * A request that the page has sent, or an operation that it describes. The body of a request with a
 * file is not text.
 */
interface ShownRequest {
  readonly get: (name: 'url' | 'method' | 'body' | 'headers' | 'x-codeSamples') => unknown
}

interface Entries {
  readonly entries: () => Iterable<readonly [string, unknown]>
}

type Component = (props: Readonly<Record<string, unknown>>) => unknown

/** The part of Swagger UI that the plugin uses. */
interface System {
  readonly React: { readonly createElement: (type: unknown, props: object | null, ...children: unknown[]) => unknown }
  readonly getComponent: (name: string, isContainer: boolean) => unknown
}

/** The page itself: a constant where its options are evaluated. */
declare const ui: { readonly preauthorizeApiKey: (scheme: string, key: string) => void }

/**
 * Options of Swagger UI: requests can be sent at once, with the key of the dashboard if this tab
 * has one, and are shown for curl, TypeScript and Python. Functions are sent to the page as source,
 * so they refer to nothing but `apiReferenceScript`.
 */
export const apiReferenceOptions = {
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  filter: true,
  requestSnippetsEnabled: true,
  requestSnippets: {
    generators: {
      curl: { title: 'curl', syntax: 'bash' },
      typescript: { title: 'TypeScript', syntax: 'javascript' },
      python: { title: 'Python', syntax: 'python' },
    },
    defaultExpanded: true,
    languages: ['curl', 'typescript', 'python'],
  },
  plugins: [createSamplePlugin],
  onComplete: authorizeWithDashboardKey,
} as const

/** Script of the page: what its plugin uses. */
export const apiReferenceScript = [...sampleFunctions, samplesOf, sentBody].join('\n\n')

/** Style of the page: wraps long lines of code samples, which a phone would cut. */
export const apiReferenceStyle =
  '.swagger-ui .curl-command :is(pre, code) { white-space: pre-wrap !important; overflow-wrap: anywhere }'

/** Signs in with the key that the dashboard has stored for this tab. */
function authorizeWithDashboardKey(): void {
  const key = sessionStorage.getItem('bowline.key')
  if (key !== null) ui.preauthorizeApiKey('bearer', key)
}

/**
 * Creates the plugin that shows code samples: those of an operation above its parameters, and those
 * of a request above its response. It also replaces the bar at the top, where the URL of another
 * document could be entered, and whose logo needs a style element that the policy of the page
 * forbids.
 */
function createSamplePlugin({ React }: System) {
  const sourceOf = (request: ShownRequest, label: string): string | undefined =>
    samplesOf(request).find((sample) => sample.label === label)?.source
  const renderBar = (): unknown => {
    const link = React.createElement('a', { className: 'link', href: '/' }, 'Bowline dashboard')
    return React.createElement(
      'div',
      { className: 'topbar' },
      React.createElement('div', { className: 'wrapper' }, link),
    )
  }
  return {
    fn: {
      requestSnippetGenerator_curl: (request: ShownRequest) => sourceOf(request, 'curl'),
      requestSnippetGenerator_typescript: (request: ShownRequest) => sourceOf(request, 'TypeScript'),
      requestSnippetGenerator_python: (request: ShownRequest) => sourceOf(request, 'Python'),
    },
    components: { Topbar: renderBar },
    wrapComponents: {
      parameters:
        (Parameters: Component, { getComponent }: System) =>
        (props: Parameters<Component>[0]) => {
          const samples = React.createElement(getComponent('RequestSnippets', true), { request: props['operation'] })
          const padded = React.createElement('div', { className: 'responses-inner' }, samples)
          return React.createElement('div', null, padded, React.createElement(Parameters, props))
        },
    },
  }
}

/** Returns the samples of an operation, or those of a request without the key that was sent. */
function samplesOf(shown: ShownRequest): readonly CodeSample[] {
  const described = shown.get('x-codeSamples') as { readonly toJS: () => readonly CodeSample[] } | undefined
  if (described !== undefined) return described.toJS()
  const [method, url] = [String(shown.get('method')), String(shown.get('url'))]
  const headers = [...((shown.get('headers') as Entries | undefined)?.entries() ?? [])].flatMap(
    ([name, value]): readonly (readonly [string, string])[] =>
      /^(?:authorization|accept)$/i.test(name) || value === 'multipart/form-data' ? [] : [[name, String(value)]],
  )
  const [, fileName] = /\/(?:files|recordings)\/([^/?]+)(?:\?|$)/.exec(method === 'GET' ? url : '') ?? []
  return writeSamples({
    method,
    url,
    headers: Object.fromEntries<string>(headers),
    download: fileName,
    ...sentBody(shown),
  })
}

/** Returns the body of a request: text, a file or the fields of a form. */
function sentBody(shown: ShownRequest): Pick<SampleRequest, 'body' | 'upload' | 'form'> {
  const body = shown.get('body') as string | File | Entries | undefined
  if (body === undefined || body === '') return {}
  if (typeof body === 'string') return { body }
  if (body instanceof File) return { upload: body.name }
  const fields = [...body.entries()].map(([name, value]): readonly [string, string] => [
    name,
    value instanceof File ? `@${value.name}` : String(value),
  ])
  return { form: Object.fromEntries(fields) }
}
