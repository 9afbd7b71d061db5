import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type Abortable, mergeSignals } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import type { Semaphore } from '../../../kit/semaphore.ts'
import type { PdfResult } from './pdf-result.ts'

/** Maximum number of pages, unless `maxPages` is lower. */
const maxPagesRead = 10_000

/** Options of `parsePdf`. */
export interface PdfOptions extends Abortable {
  /** Number of pages to read. The others are only counted. Default: all. */
  readonly maxPages?: number | undefined
  /** Time limit in milliseconds. The parser process is killed when it expires. Default: 30000. */
  readonly timeoutMs?: number | undefined
  /**
   * Limits how many PDFs are parsed at once. Waiting for a slot does not count as time. Default: no
   * limit.
   */
  readonly slots?: Semaphore | undefined
}

/** A PDF as Markdown. */
export interface PdfContent {
  readonly markdown: string
  /** The pages that were read. */
  readonly pages: readonly { readonly pageNumber: number; readonly markdown: string }[]
  /** Number of pages of the file. */
  readonly totalPages: number
  readonly title: string | undefined
  /** Whether the pages are scanned images, with little or no text without OCR. */
  readonly isScanned: boolean
}

/**
 * Converts a PDF to Markdown in a separate process, which is killed on abort. Throws PDF_INVALID
 * for empty, malformed or other files, PDF_ENCRYPTED if it needs a password, PDF_FAILED and
 * TIMEOUT.
 */
export async function parsePdf(bytes: Uint8Array, options: PdfOptions = {}): Promise<PdfContent> {
  assertPdf(bytes)
  const { signal, timeoutMs = 30_000, maxPages, slots } = options
  signal?.throwIfAborted()
  using _ = await slots?.acquire(signal)
  const limit = AbortSignal.timeout(timeoutMs)
  const stop = mergeSignals(limit, signal)
  const attempt = async (reader: 'liteparse' | 'unpdf'): Promise<PdfResult> => {
    try {
      return await read(bytes, reader, maxPages, stop)
    } catch (cause) {
      signal?.throwIfAborted()
      if (limit.aborted)
        throw new BowlineError('TIMEOUT', `The PDF of ${sizeOf(bytes)} was not parsed within ${timeoutMs} ms`, {
          status: 408,
          hint: 'Request fewer pages with `maxPages`, or raise `timeout`.',
          cause,
        })
      throw cause
    }
  }
  const first = await attempt('liteparse')
  // liteparse may be missing on this platform, or crash. unpdf is slower and finds no headings.
  return toContent(first.kind === 'failed' && !outOfMemory.test(first.message) ? await attempt('unpdf') : first, bytes)
}

/** Returns a parsed PDF with at most `maxPages` of its pages. Default: all. */
export function firstPages(pdf: PdfContent, maxPages = Infinity): PdfContent {
  if (maxPages >= pdf.pages.length) return pdf
  const pages = pdf.pages.slice(0, maxPages)
  return { ...pdf, pages, markdown: joinPages(pages) }
}

function joinPages(pages: PdfContent['pages']): string {
  const markdown = pages
    .map((page) => page.markdown.trim())
    .filter((page) => page !== '')
    .join('\n\n')
  return markdown === '' ? '' : `${markdown}\n`
}

function sizeOf(bytes: Uint8Array): string {
  return bytes.length < 10_000 ? `${bytes.length} bytes` : `${(bytes.length / 1e6).toFixed(2)} MB`
}

function assertPdf(bytes: Uint8Array): void {
  if (bytes.length === 0) throw new BowlineError('PDF_INVALID', 'The PDF is empty: 0 bytes')
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024))
  if (start.includes('%PDF-')) return
  const shown = start
    .subarray(0, 24)
    .toString('latin1')
    .replace(/[^\x20-\x7e]+/g, '.')
  throw new BowlineError('PDF_INVALID', `Not a PDF: ${sizeOf(bytes)} starting with \`${shown}\``)
}

/** Memory limit of the parser process in kB. A small file may expand to many gigabytes. */
const maxMemoryKb = 1_500_000

const outOfMemory = /out of memory|allocation failed|memory allocation|bad_alloc/i

function tooLarge(bytes: Uint8Array): BowlineError {
  return new BowlineError(
    'PDF_FAILED',
    `The PDF of ${sizeOf(bytes)} needs more than ${maxMemoryKb / 1e6} GB of memory`,
    {
      status: 422,
      hint: 'Request fewer pages with `maxPages`, or the file itself with `parsers: []`.',
    },
  )
}

function withMemoryLimit(command: readonly string[]): readonly string[] {
  return process.platform === 'linux'
    ? ['/bin/sh', '-c', `ulimit -d ${maxMemoryKb}; exec "$0" "$@"`, ...command]
    : command
}

const script = fileURLToPath(new URL(`./pdf-process${extname(import.meta.filename)}`, import.meta.url))

async function read(
  bytes: Uint8Array,
  reader: string,
  maxPages: number | undefined,
  signal: AbortSignal,
): Promise<PdfResult> {
  const [command = '', ...args] = withMemoryLimit([process.execPath, script, reader, String(maxPages ?? maxPagesRead)])
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {},
  })
  const kill = (): boolean => child.kill('SIGKILL')
  signal.addEventListener('abort', kill, { once: true })
  if (signal.aborted) kill()
  try {
    const exited = once(child, 'close')
    // A process that exits early closes its stdin. Its exit code is more useful than EPIPE.
    child.stdin.on('error', () => {})
    child.stdin.end(bytes)
    // Wait for the exit even on abort, so that no process is left behind.
    const [output, stderr] = await Promise.all([buffer(child.stdout), text(child.stderr), exited])
    signal.throwIfAborted()
    return parseResult(output.toString(), stderr, child.exitCode ?? child.signalCode)
  } finally {
    signal.removeEventListener('abort', kill)
  }
}

function parseResult(output: string, stderr: string, exit: number | string | null): PdfResult {
  try {
    return JSON.parse(output) as PdfResult
  } catch {
    // The parser has crashed or was killed before it wrote its result.
    const why = outOfMemory.exec(stderr)?.[0] ?? stderr.trim().split('\n').at(-1) ?? ''
    // Native code that runs out of memory aborts without a message.
    const fallback = exit === 'SIGABRT' ? 'out of memory' : `the parser exited with ${exit}`
    return { kind: 'failed', message: why === '' ? fallback : why }
  }
}

function toContent(result: PdfResult, bytes: Uint8Array): PdfContent {
  switch (result.kind) {
    case 'encrypted':
      throw new BowlineError('PDF_ENCRYPTED', `The PDF of ${sizeOf(bytes)} needs a password`)
    case 'invalid':
      throw new BowlineError('PDF_INVALID', `The PDF of ${sizeOf(bytes)} is malformed: ${result.message}`)
    case 'failed':
      if (outOfMemory.test(result.message)) throw tooLarge(bytes)
      throw new BowlineError('PDF_FAILED', `The PDF of ${sizeOf(bytes)} could not be parsed: ${result.message}`)
    case 'read': {
      const { pages, totalPages, title, isScanned } = result
      if (totalPages === 0) throw new BowlineError('PDF_INVALID', `The PDF of ${sizeOf(bytes)} has no pages`)
      return { markdown: joinPages(pages), pages, totalPages, title, isScanned }
    }
    default:
      return result satisfies never
  }
}
