import type { ByteReader } from './byte-reader.ts'
import type { HostPort } from './host-port.ts'

/** The head of an HTTP/1 request. Header lines are kept as they were sent. */
export interface RequestHead {
  readonly method: string
  /** Target as in the request line: a path, a URL, or the authority of CONNECT. */
  readonly target: string
  readonly version: string
  readonly headers: readonly RequestHeader[]
  /** Of the body, in bytes. */
  readonly length: number | 'chunked'
}

/** A header of a request. */
export interface RequestHeader {
  /** In lower case. */
  readonly name: string
  readonly value: string
  /** As it was sent. */
  readonly line: string
}

/** Maximum size of the head of a request, in bytes. */
const maxHeadBytes = 256 * 1024

/** Maximum size of the line before a chunk, in bytes. */
const maxChunkLineBytes = 4096

/**
 * Reads the head of the next request. Undefined at the end of the connection. Throws an Error if it
 * is malformed: a proxy could understand such a request differently from the checks here.
 */
export async function readRequestHead(reader: ByteReader): Promise<RequestHead | undefined> {
  const text = await reader.readUntil('\r\n\r\n', maxHeadBytes)
  if (text === undefined) return undefined
  const [first = '', ...lines] = text.slice(0, -4).split('\r\n')
  const [, method, target, version] =
    /^([!#$%&'*+\-.^_`|~\w]+) ([\u0021-\u007e\u0080-\u00ff]+) HTTP\/(1\.[01])$/.exec(first) ?? []
  if (method === undefined || target === undefined || version === undefined) throw new Error('malformed request line')
  const headers = lines.map(parseHeader)
  return { method, target, version, headers, length: lengthOf(headers) }
}

function parseHeader(line: string): RequestHeader {
  // oxlint-disable-next-line no-control-regex -- Exactly the characters that may not be in a value.
  const [, name, value] = /^([!#$%&'*+\-.^_`|~\w]+):[ \t]*([^\u0000\r\n]*?)[ \t]*$/.exec(line) ?? []
  if (name === undefined || value === undefined) throw new Error('malformed header')
  return { name: name.toLowerCase(), value, line }
}

/** The value of a header. Undefined if the request does not have it. */
export function headerOf({ headers }: RequestHead, name: string): string | undefined {
  return headers.find((header) => header.name === name)?.value
}

/** Reads the body of a request, with its chunk sizes. Throws an Error if it is malformed. */
export async function* readRequestBody(reader: ByteReader, { length }: RequestHead): AsyncGenerator<Buffer, void> {
  if (length !== 'chunked') {
    yield* reader.readExactly(length)
    return
  }
  for (;;) {
    const line = await reader.readUntil('\r\n', maxChunkLineBytes)
    const digits = /^([\da-f]{1,12})[ \t]*(?:;[^\r\n]*)?\r\n$/i.exec(line ?? '')?.[1]
    if (line === undefined || digits === undefined) throw new Error('malformed chunk')
    yield Buffer.from(line, 'latin1')
    const size = Number.parseInt(digits, 16)
    if (size === 0) break
    yield* reader.readExactly(size)
    if ((await reader.readUntil('\r\n', 2)) === undefined) throw new Error('malformed chunk')
    yield Buffer.from('\r\n')
  }
  for (let line = ''; line !== '\r\n';) {
    line = (await reader.readUntil('\r\n', maxChunkLineBytes)) ?? '\r\n'
    yield Buffer.from(line, 'latin1')
  }
}

function lengthOf(headers: readonly RequestHeader[]): RequestHead['length'] {
  const valuesOf = (name: string): readonly string[] =>
    headers.filter((header) => header.name === name).map(({ value }) => value)
  const [lengths, codings] = [valuesOf('content-length'), valuesOf('transfer-encoding')]
  if (lengths.length + codings.length > 1) throw new Error('the request has more than one length')
  const [length = '0'] = lengths
  if (!/^\d{1,15}$/.test(length) || !/^chunked$/i.test(codings[0] ?? 'chunked')) throw new Error('malformed length')
  return codings.length === 0 ? Number(length) : 'chunked'
}

/** The head of a request to the target itself, as a browser without a proxy sends it. */
export function headForTarget(head: RequestHead): Buffer {
  const headers = head.headers
    .filter(({ name }) => name !== 'proxy-authorization')
    .map(({ name, value, line }) => (name === 'proxy-connection' ? `Connection: ${value}` : line))
  return formatHead(head, pathOf(head.target), headers)
}

/**
 * The head of a request to an HTTP proxy, as a browser that uses it sends it. `authorization`:
 * default: that of the request.
 */
export function headForProxy(head: RequestHead, { host, port }: HostPort, authorization?: string): Buffer {
  const authority = `${host.includes(':') ? `[${host}]` : host}${port === 80 ? '' : `:${port}`}`
  const own = authorization === undefined ? undefined : `Proxy-Authorization: ${authorization}`
  const headers = head.headers
    .filter(({ name }) => own === undefined || name !== 'proxy-authorization')
    .map(({ name, value, line }) => (name === 'connection' ? `Proxy-Connection: ${value}` : line))
  const at = headers.findIndex((line) => !/^(?:host|proxy-connection|content-length|pragma|cache-control):/i.test(line))
  return formatHead(
    head,
    `http://${authority}${pathOf(head.target)}`,
    own === undefined ? headers : headers.toSpliced(at === -1 ? headers.length : at, 0, own),
  )
}

function formatHead({ method, version }: RequestHead, target: string, headers: readonly string[]): Buffer {
  return Buffer.from(`${[`${method} ${target} HTTP/${version}`, ...headers].join('\r\n')}\r\n\r\n`, 'latin1')
}

/** The path as the browser has written it, which `URL` might normalize. */
function pathOf(target: string): string {
  const path = target.startsWith('/') ? target : (/^http:\/\/[^/?#]*([^#]*)/i.exec(target)?.[1] ?? '')
  return path.startsWith('/') ? path : `/${path}`
}
