import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { extname } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Jail } from '../../../browsers/jail.ts'
import { jailParser } from './jail-parser.ts'
import type { PdfJob, PdfResult } from './pdf-result.ts'
import { threadEnvironment } from '../../../kit/thread-environment.ts'

/** Memory limit of the parser process in kB. A small file may expand to many gigabytes. */
export const maxMemoryKb = 1_500_000

/** CPU time of the parser process in seconds, in case the server is killed before it. */
const maxCpuSeconds = 600

/** Priority of the parser process: the server responds while it reads pages by OCR. */
const niceness = 10

/** Matches the messages of parsers that run out of memory. */
export const outOfMemory = /out of memory|allocation failed|memory allocation|bad_alloc|memory limit exceeded/i

const environment = {
  // The parser must not find programs, such as LibreOffice, to convert files that it cannot read.
  PATH: '/nonexistent',
  // Tesseract starts a thread per CPU otherwise.
  OMP_THREAD_LIMIT: '1',
} as const

const script = fileURLToPath(new URL(`./pdf-process${extname(import.meta.filename)}`, import.meta.url))

/** Options of `runPdfProcess`. */
export interface PdfProcessOptions {
  readonly signal: AbortSignal
  /** Undefined: the process has the rights of the server. */
  readonly jail: Jail | undefined
}

/** Reads a file in a separate process with limits, which is killed on abort. */
export async function runPdfProcess(
  bytes: Uint8Array,
  job: PdfJob,
  { signal, jail }: PdfProcessOptions,
): Promise<PdfResult> {
  const [command = '', ...args] = withLimits(commandOf(job, jail))
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...environment, ...threadEnvironment() },
  })
  const kill = (): boolean => child.kill('SIGKILL')
  signal.addEventListener('abort', kill, { once: true })
  if (signal.aborted) kill()
  try {
    const exited = once(child, 'close')
    if (child.pid !== undefined) lowerPriority(child.pid)
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

function commandOf(job: PdfJob, jail: Jail | undefined): readonly string[] {
  const args = [JSON.stringify(job)]
  if (jail === undefined) return [process.execPath, script, ...args]
  const folders = [job.tessdata, threadEnvironment()['NODE_COMPILE_CACHE']].filter((path) => path !== undefined)
  return [jail.path, ...jailParser(jail, args, { script, folders })]
}

function withLimits(command: readonly string[]): readonly string[] {
  if (process.platform !== 'linux') return command
  return ['/bin/sh', '-c', `ulimit -d ${maxMemoryKb}; ulimit -t ${maxCpuSeconds}; exec "$0" "$@"`, ...command]
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, niceness)
  } catch {
    // It has ended.
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
