import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import type { Semaphore } from '../../../kit/semaphore.ts'
import type { PdfResult } from './pdf-result.ts'

/** Pages that are read of a PDF unless fewer are asked for. */
const maxPagesRead = 10_000

/** How much of a PDF to read, and how long that may take. */
export interface PdfOptions extends Abortable {
  /** Pages from the first on; the rest is counted but not read. Default: all. */
  readonly maxPages?: number | undefined
  /** Milliseconds for the whole file. Default 30,000. Then the reading process is killed. */
  readonly timeoutMs?: number | undefined
  /** Of which one is taken to read in; time spent waiting for it is not counted. Default: none is needed. */
  readonly slots?: Semaphore | undefined
}

/** A PDF as Markdown. */
export interface PdfContent {
  readonly markdown: string
  /** The pages that were read. */
  readonly pages: readonly { readonly pageNumber: number; readonly markdown: string }[]
  /** Pages of the whole file. */
  readonly totalPages: number
  readonly title: string | undefined
  /** Whether the pages show pictures of text: then there is little or nothing to read without OCR. */
  readonly isScanned: boolean
}

/**
 * Reads a PDF as Markdown in a process of its own. Aborting kills that process.
 * Throws PDF_INVALID for what is broken, empty or no PDF, PDF_ENCRYPTED for one with a password, PDF_FAILED and TIMEOUT.
 */
export async function parsePdf(bytes: Uint8Array, options: PdfOptions = {}): Promise<PdfContent> {
  assertPdf(bytes)
  const { signal, timeoutMs = 30_000, maxPages, slots } = options
  signal?.throwIfAborted()
  using _ = await slots?.acquire(signal)
  const limit = AbortSignal.timeout(timeoutMs)
  const stop = signal === undefined ? limit : AbortSignal.any([signal, limit])
  const attempt = async (reader: 'liteparse' | 'unpdf'): Promise<PdfResult> => {
    try {
      return await read(bytes, reader, maxPages, stop)
    } catch (cause) {
      signal?.throwIfAborted()
      if (limit.aborted)
        throw new BowlineError('TIMEOUT', `The PDF of ${sizeOf(bytes)} was not read in ${timeoutMs} ms`, {
          status: 408,
          hint: 'Ask for fewer pages with `maxPages`, or raise `timeout`.',
          cause,
        })
      throw cause
    }
  }
  const first = await attempt('liteparse')
  // The native reader may be missing on this platform, or crash; the other one is slower and finds no headings.
  return toContent(first.kind === 'failed' && !outOfMemory.test(first.message) ? await attempt('unpdf') : first, bytes)
}

/** A PDF of which no more than so many pages were read. Default: all that were. */
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
  throw new BowlineError('PDF_INVALID', `Not a PDF: ${sizeOf(bytes)} that start with \`${shown}\``)
}

/** Kilobytes of memory for one file: a small one may unpack to many gigabytes, of which only the kernel keeps count. */
const maxMemoryKb = 1_500_000

const outOfMemory = /out of memory|allocation failed|memory allocation|bad_alloc/i

function tooLarge(bytes: Uint8Array): BowlineError {
  return new BowlineError(
    'PDF_FAILED',
    `The PDF of ${sizeOf(bytes)} takes more than ${maxMemoryKb / 1e6} GB of memory to read`,
    {
      status: 422,
      hint: 'Ask for fewer pages with `maxPages`, or for the file itself with `parsers: []`.',
    },
  )
}

function withBoundedMemory(command: readonly string[]): readonly string[] {
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
  const [command = '', ...args] = withBoundedMemory([
    process.execPath,
    script,
    reader,
    String(maxPages ?? maxPagesRead),
  ])
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {},
  })
  const kill = (): boolean => child.kill('SIGKILL')
  signal.addEventListener('abort', kill, { once: true })
  if (signal.aborted) kill()
  try {
    const exited = once(child, 'close')
    // A reader that dies early closes its input; its exit says more than the broken pipe.
    child.stdin.on('error', () => {})
    child.stdin.end(bytes)
    // Waits for the exit even when aborted, so that nothing is left running.
    const [output, complaint] = await Promise.all([buffer(child.stdout), text(child.stderr), exited])
    signal.throwIfAborted()
    return toAnswer(output.toString(), complaint, child.exitCode ?? child.signalCode)
  } finally {
    signal.removeEventListener('abort', kill)
  }
}

function toAnswer(output: string, complaint: string, ending: number | string | null): PdfResult {
  try {
    return JSON.parse(output) as PdfResult
  } catch {
    const why = outOfMemory.exec(complaint)?.[0] ?? complaint.trim().split('\n').at(-1) ?? ''
    // Native code that gets no memory ends without a word.
    const silent = ending === 'SIGABRT' ? 'out of memory' : `the reader ended with ${ending}`
    return { kind: 'failed', message: why === '' ? silent : why }
  }
}

function toContent(answer: PdfResult, bytes: Uint8Array): PdfContent {
  switch (answer.kind) {
    case 'encrypted':
      throw new BowlineError('PDF_ENCRYPTED', `The PDF of ${sizeOf(bytes)} opens only with a password`)
    case 'invalid':
      throw new BowlineError('PDF_INVALID', `The PDF of ${sizeOf(bytes)} is broken: ${answer.message}`)
    case 'failed':
      if (outOfMemory.test(answer.message)) throw tooLarge(bytes)
      throw new BowlineError('PDF_FAILED', `The PDF of ${sizeOf(bytes)} could not be read: ${answer.message}`)
    case 'read': {
      const { pages, totalPages, title, isScanned } = answer
      if (totalPages === 0) throw new BowlineError('PDF_INVALID', `The PDF of ${sizeOf(bytes)} has no pages`)
      return { markdown: joinPages(pages), pages, totalPages, title, isScanned }
    }
    default:
      return answer satisfies never
  }
}
