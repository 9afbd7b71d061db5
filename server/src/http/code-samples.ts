/** Request that code samples send. All samples read the API key from `BOWLINE_API_KEY`. */
export interface SampleRequest {
  readonly method: string
  readonly url: string
  /** Headers besides `Authorization`. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON or other text. */
  readonly body?: string | undefined
  /** Fields of a multipart form. The value of a file is `@` and its name. */
  readonly form?: Readonly<Record<string, string>> | undefined
  /** Name of the file that is the body. */
  readonly upload?: string | undefined
  /** Name of the file to which the response is written. Default: the response is printed. */
  readonly download?: string | undefined
}

/** Sample of a request, as `x-codeSamples` of an OpenAPI document lists it. */
export interface CodeSample {
  readonly lang: string
  readonly label: string
  readonly source: string
}

/**
 * Returns the samples of a request. This function and those it calls are also sent to the page
 * `/docs` as source: they use nothing else of this module.
 */
export function writeSamples(request: SampleRequest): readonly CodeSample[] {
  return [
    { lang: 'bash', label: 'curl', source: writeCurl(request) },
    { lang: 'typescript', label: 'TypeScript', source: writeTypeScript(request) },
    { lang: 'python', label: 'Python', source: writePython(request) },
  ]
}

/** Functions of which `writeSamples` consists. */
export const sampleFunctions = [
  writeSamples,
  writeCurl,
  writeTypeScript,
  typeScriptBody,
  writePython,
  pythonForm,
  pythonBody,
  pythonLiteral,
  parseJson,
] as const

function writeCurl({ method, url, headers, body, form = {}, upload, download }: SampleRequest): string {
  const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quote(url)}`,
    `-H "Authorization: Bearer $BOWLINE_API_KEY"`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quote(body)}`]),
    ...Object.entries(form).map(([name, value]) => `-F ${quote(`${name}=${value}`)}`),
    ...(upload === undefined ? [] : [`--data-binary ${quote(`@${upload}`)}`]),
    ...(download === undefined ? [] : [`-o ${quote(download)}`]),
  ].join(' \\\n  ')
}

function writeTypeScript(request: SampleRequest): string {
  const { method, url, headers, form, upload, download } = request
  const functions = [...(upload === undefined ? [] : ['readFile']), ...(download === undefined ? [] : ['writeFile'])]
  const body = typeScriptBody(request)
  return [
    ...(functions.length === 0 ? [] : [`import { ${functions.join(', ')} } from "node:fs/promises"`, ``]),
    ...(form === undefined ? [] : [`import { openAsBlob } from "node:fs"`, ``, `const form = new FormData()`]),
    ...Object.entries(form ?? {}).map(([name, value]) => {
      const file = JSON.stringify(value.slice(1))
      const content = value.startsWith('@') ? `await openAsBlob(${file}), ${file}` : JSON.stringify(value)
      return `form.set(${JSON.stringify(name)}, ${content})`
    }),
    `const response = await fetch(${JSON.stringify(url)}, {`,
    `  method: ${JSON.stringify(method)},`,
    `  headers: {`,
    `    Authorization: \`Bearer \${process.env.BOWLINE_API_KEY}\`,`,
    ...Object.entries(headers).map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`),
    `  },`,
    ...(body === undefined ? [] : [`  body: ${body},`]),
    `})`,
    download === undefined
      ? `console.log(response.status, await response.json())`
      : `await writeFile(${JSON.stringify(download)}, await response.bytes())`,
  ].join('\n')
}

function typeScriptBody({ body, form, upload }: SampleRequest): string | undefined {
  if (form !== undefined) return 'form'
  if (upload !== undefined) return `await readFile(${JSON.stringify(upload)})`
  if (body === undefined) return undefined
  const value = parseJson(body)
  const json = JSON.stringify(value, null, 2)
  return value === undefined ? JSON.stringify(body) : `JSON.stringify(${json.replaceAll('\n', '\n  ')})`
}

function writePython(request: SampleRequest): string {
  const { method, url, headers, form, download } = request
  const body = pythonBody(request)
  const isJson = body?.startsWith('json') === true || download === undefined
  return [
    `import ${isJson ? 'json, ' : ''}os, urllib.request`,
    ``,
    ...(form === undefined ? [] : pythonForm(form)),
    `request = urllib.request.Request(`,
    `    ${JSON.stringify(url)},`,
    `    method=${JSON.stringify(method)},`,
    `    headers={`,
    `        "Authorization": "Bearer " + os.environ["BOWLINE_API_KEY"],`,
    ...Object.entries(headers).map(([name, value]) => `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`),
    ...(form === undefined ? [] : [`        "Content-Type": "multipart/form-data; boundary=" + boundary,`]),
    `    },`,
    ...(body === undefined ? [] : [`    data=${body},`]),
    `)`,
    `with urllib.request.urlopen(request) as response:`,
    download === undefined
      ? `    print(response.status, json.load(response))`
      : `    open(${JSON.stringify(download)}, "wb").write(response.read())`,
  ].join('\n')
}

/** Encodes a form, for which the standard library has no function. */
function pythonForm(form: Readonly<Record<string, string>>): readonly string[] {
  const part = ([name, value]: readonly [string, string]): string => {
    const file = JSON.stringify(value.slice(1))
    return value.startsWith('@')
      ? `    ('name=${JSON.stringify(name)}; filename=${file}', open(${file}, "rb").read()),`
      : `    ('name=${JSON.stringify(name)}', b${pythonLiteral(value)}),`
  }
  return [
    `boundary = os.urandom(16).hex()`,
    `form = [`,
    ...Object.entries(form).map(part),
    `]`,
    `data = b"".join(`,
    String.raw`    f"--{boundary}\r\nContent-Disposition: form-data; {name}\r\n\r\n".encode() + value + b"\r\n"`,
    `    for name, value in form`,
    String.raw`) + f"--{boundary}--\r\n".encode()`,
  ]
}

function pythonBody({ body, form, upload }: SampleRequest): string | undefined {
  if (form !== undefined) return 'data'
  if (upload !== undefined) return `open(${JSON.stringify(upload)}, "rb").read()`
  if (body === undefined) return undefined
  const value = parseJson(body)
  if (value === undefined) return `${JSON.stringify(body)}.encode()`
  return `json.dumps(${pythonLiteral(value).replaceAll('\n', '\n    ')}).encode()`
}

/** Writes a JSON value in Python, where strings and numbers are the same. */
function pythonLiteral(value: unknown): string {
  const indent = (items: readonly string[]): string => `    ${items.join(',\n').replaceAll('\n', '\n    ')},`
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[\n${indent(value.map(pythonLiteral))}\n]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${pythonLiteral(item)}`)
  return fields.length === 0 ? '{}' : `{\n${indent(fields)}\n}`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
