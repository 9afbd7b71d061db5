import type { FastifyRequest } from 'fastify'
import { maxParseBytes, parseOptions } from 'bowline/contract/parse'
import { scrapeRequest, type ScrapeRequest } from 'bowline/contract/scrape'
import { BowlineError } from 'bowline/kit/errors'
import type { UploadedFile } from '../scrape/load/document-reader.ts'
import { chunkOverheadBytes, type HeldBytes } from './body-memory.ts'
import { sizeText } from './body-sizes.ts'
import { detachBody } from './detach-body.ts'
import { invalidRequest } from './errors.ts'
import { parseJsonBody } from './json-body.ts'
import { parseMultipart } from './multipart.ts'

/** A file to parse: uploaded with the request, or before. */
export type ParseBody =
  | { readonly file: UploadedFile; readonly options: unknown }
  | { readonly uploadRef: string; readonly options: unknown }

/** Boundaries, headers of parts and options, in addition to the file. */
const maxOverheadBytes = 2 * 1024 * 1024

/**
 * Reads the body of `POST /v2/parse`, which is multipart or JSON. Throws BAD_REQUEST,
 * BAD_REQUEST_INVALID_JSON, SERVER_BUSY.
 */
export async function readParseBody(request: FastifyRequest, held: HeldBytes): Promise<ParseBody> {
  const { 'content-type': contentType = '' } = request.headers
  if (/^multipart\/form-data\b/i.test(contentType)) {
    const body = await readBytes(request, maxParseBytes + maxOverheadBytes, held)
    return fromForm(body, contentType)
  }
  if (!/^application\/json\b/i.test(contentType)) throw missingFile()
  const body = parseJsonBody((await readBytes(request, maxOverheadBytes, held)).toString())
  if (!isObject(body)) throw missingFile()
  const { uploadRef, ...options } = body
  if (typeof uploadRef !== 'string') throw missingFile()
  return { uploadRef, options }
}

/** Reads a body of limited size. Throws BAD_REQUEST if it is larger, SERVER_BUSY. */
export async function readBytes(request: FastifyRequest, maxBytes: number, held: HeldBytes): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0)
  const body = detachBody(request.raw)
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    if (announced > maxBytes) throw tooLarge()
    held.assertRoom(announced)
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge()
      held.add(chunk.length + chunkOverheadBytes)
      chunks.push(chunk)
    }
  } finally {
    body.destroy()
  }
  return Buffer.concat(chunks)
}

/**
 * Converts the options of a client to the request of a scrape. Throws BAD_REQUEST for invalid
 * options, PARSE_UNSUPPORTED_OPTIONS for options that need a browser.
 */
export function toParseRequest(options: unknown): ScrapeRequest {
  if (isObject(options)) assertSupported(options)
  const parsed = parseOptions.safeParse(options)
  if (!parsed.success) throw invalidRequest(parsed.error, 'options')
  const unused = scrapeRequest.parse({ url: 'https://upload.invalid/' })
  return {
    ...unused,
    ...parsed.data,
    url: unused.url,
    maxAge: 0,
    minAge: undefined,
    storeInCache: false,
    lockdown: false,
  }
}

function fromForm(body: Buffer, contentType: string): ParseBody {
  const parts = parseMultipart(body, contentType)
  assertFields(parts.map(({ name }) => name))
  const file = parts.find(({ name }) => name === 'file')
  if (file === undefined) throw missingFile()
  if (file.bytes.length > maxParseBytes) throw tooLarge()
  const options = parts.find(({ name }) => name === 'options')
  const name = file.fileName === undefined || file.fileName === '' ? 'file' : file.fileName.slice(-512)
  return {
    file: { name, contentType: file.contentType, bytes: file.bytes },
    options: options === undefined ? {} : parseOptionsPart(options.bytes.toString()),
  }
}

/** Throws BAD_REQUEST for fields of the form that would be ignored. */
function assertFields(names: readonly string[]): void {
  const unknown = names.find((name) => !formFields.has(name))
  if (unknown !== undefined) {
    throw new BowlineError('BAD_REQUEST', `The form has the unknown field ${JSON.stringify(unknown)}`, {
      hint: 'Send the file in the field `file`, and all options as one JSON object in the field `options`.',
    })
  }
  const repeated = ['file', 'options'].find((name) => names.filter((each) => each === name).length > 1)
  if (repeated === undefined) return
  throw new BowlineError('BAD_REQUEST', `The form has several fields with the name "${repeated}". Send one`)
}

/** Fields of the form, with those in which clients send the name of their program. */
const formFields: ReadonlySet<string> = new Set(['file', 'options', 'origin', 'integration'])

function parseOptionsPart(text: string): unknown {
  const options = tryParse(text)
  if (isObject(options)) return options
  throw new BowlineError('BAD_REQUEST', "The 'options' field must parse to a JSON object.")
}

function tryParse(text: string): unknown {
  try {
    return parseJsonBody(text)
  } catch (cause) {
    const message = "Invalid JSON in the 'options' field. Provide a valid JSON string."
    throw new BowlineError('BAD_REQUEST', message, { cause })
  }
}

/** Options for requesting a page from a site, which have no effect on files. */
const siteOptions = ['allowedDomains', 'headers', 'lockdown', 'minAge', 'profile', 'skipTlsVerification'] as const

/** Names the options of a client that have no effect on a file. `undefined`: there are none. */
export function unusedWarning(options: unknown): string | undefined {
  if (!isObject(options)) return undefined
  const isUsed = (value: unknown): boolean =>
    value !== undefined && value !== null && value !== false && !(isObject(value) && Object.keys(value).length === 0)
  const names = siteOptions.filter((name) => isUsed(options[name])).map((name) => `\`${name}\``)
  return names.length === 0 ? undefined : `Not applied, because a file was uploaded: ${names.join(', ')}.`
}

function assertSupported(options: Readonly<Record<string, unknown>>): void {
  const { actions, waitFor, location, mobile, proxy, formats } = options
  const names = new Set(
    (Array.isArray(formats) ? (formats as readonly unknown[]) : []).map(
      (format) => String(isObject(format) ? format['type'] : format).split('@')[0],
    ),
  )
  const refused = [
    [Array.isArray(actions) && actions.length > 0, 'Parse uploads do not support actions.'],
    ...['screenshot', 'branding', 'changeTracking'].map(
      (name) => [names.has(name), `Parse uploads do not support the ${name} format.`] as const,
    ),
    [names.has('rawBase64'), 'The rawBase64 format is not supported for parse uploads'],
    [typeof waitFor === 'number' && waitFor > 0, 'Parse uploads do not support waitFor.'],
    [location !== undefined && location !== null, 'Parse uploads do not support location.'],
    [mobile === true, 'Parse uploads do not support mobile.'],
    [
      proxy !== undefined && proxy !== 'auto' && proxy !== 'basic',
      'Parse uploads only support proxy values of auto or basic.',
    ],
  ] as const
  const found = refused.find(([isRefused]) => isRefused)
  if (found !== undefined) throw new BowlineError('PARSE_UNSUPPORTED_OPTIONS', found[1])
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function missingFile(): BowlineError {
  const message = "Missing file upload. Send multipart/form-data with a 'file' field, or JSON with an 'uploadRef'."
  return new BowlineError('BAD_REQUEST', message)
}

function tooLarge(): BowlineError {
  const limit = sizeText(maxParseBytes).replace(' ', '')
  return new BowlineError('BAD_REQUEST', `Uploaded file exceeds maximum size of ${limit}.`)
}
