import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Document } from '../contract/document.ts'
import { parseOptions, type ParseInput } from '../contract/parse.ts'
import { routes } from '../contract/routes.ts'
import { scrapeLimits } from '../contract/scrape.ts'
import { findUnknownKeys } from '../contract/unknown-keys.ts'
import type { Abortable } from '../kit/abort.ts'
import { BowlineError } from '../kit/errors.ts'
import { checkOptions, unknownOption } from './check-options.ts'
import type { ClientConfig } from './config.ts'
import { parseResponse } from './parse-response.ts'
import { requestTimeout } from './request-timeout.ts'
import { sendWithRetries } from './send-with-retries.ts'

/**
 * Converts a file of at most 50 MB, such as a PDF or an office document: a local file (given by its
 * path) or a File, whose name tells its format. Returns Markdown unless `options.formats` requests
 * other formats. Rejects with UNSUPPORTED_FILE_TYPE, DOCUMENT_INVALID, DOCUMENT_ENCRYPTED,
 * DOCUMENT_TOO_LARGE, PDF_* or SCRAPE_TIMEOUT.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const file = new File(['name,size\nBowline,1'], 'knots.csv')
 * const { markdown } = await new Bowline().parse(file)
 * console.log(markdown)
 * ```
 */
export type ParseFile = (file: string | File, options?: ParseInput, requestOptions?: Abortable) => Promise<Document>

/** Time for the upload, in milliseconds. */
const uploadMs = 60_000

/** Creates `bowline.parse`. */
export function createParse(config: ClientConfig): ParseFile {
  return async (file, options = {}, requestOptions = {}) => {
    checkOptions('parse()', requestOptions, { signal: true })
    const { signal } = requestOptions
    signal?.throwIfAborted()
    const [unknown] = findUnknownKeys(parseOptions, options)
    if (unknown !== undefined) throw unknownOption('parse()', unknown)
    const { blob, name } = await openFile(file)
    const form = new FormData()
    form.set('options', JSON.stringify(options))
    form.set('file', blob, name)
    const { method, path } = routes.parse
    const init = { method, body: form, redirect: 'manual', ...(signal === undefined ? {} : { signal }) } as const
    const request = new Request(config.baseUrl + path, init)
    const timeoutMs = requestTimeout(options.timeout, { fallback: scrapeLimits.defaultTimeout, grace: uploadMs })
    const response = await sendWithRetries(config, request, { retries: 0, timeoutMs })
    return (await parseResponse(routes.parse, response)).data
  }
}

async function openFile(file: string | File): Promise<{ readonly blob: Blob; readonly name: string }> {
  if (typeof file !== 'string') return { blob: file, name: file.name }
  if ((await stat(file)).isDirectory()) throw new BowlineError('BAD_REQUEST', `${file} is a directory`)
  return { blob: await openAsBlob(file), name: basename(file) }
}
