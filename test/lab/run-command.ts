import { Readable, Writable } from 'node:stream'
import { runCli } from '../../src/cli/run-cli.ts'
import { setEnvironment } from './set-environment.ts'

/** The end of a command line. */
export interface CommandEnd {
  readonly code: number
  readonly out: string
  /** The lines of `out`. */
  readonly lines: readonly string[]
  readonly errors: string
}

/** Environment, standard input (default: empty), and whether the output is a terminal. */
export interface CommandInput {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly input?: string | undefined
  readonly isTerminal?: boolean | undefined
  /** Width of the terminal. Default: unknown. */
  readonly columns?: number | undefined
}

/**
 * Runs a command line of `bowline` in this process, which has loaded it already. Not for commands
 * whose point is their process: its signals, its exit, or the streams of a child. One at a time.
 */
export async function runCommand(
  args: readonly string[],
  { env, input = '', isTerminal = false, columns }: CommandInput,
): Promise<CommandEnd> {
  const [stdout, stderr] = [new Capture(isTerminal, columns), new Capture(isTerminal, columns)]
  const { exitCode } = process
  using undo = new DisposableStack()
  for (const [name, value] of Object.entries({ stdout, stderr, stdin: Readable.from([input]) })) {
    const original = Object.getOwnPropertyDescriptor(process, name)!
    Object.defineProperty(process, name, { ...original, get: () => value })
    undo.defer(() => Object.defineProperty(process, name, original))
  }
  undo.use(setEnvironment(env))
  undo.defer(() => {
    process.exitCode = exitCode
  })
  process.exitCode = 0
  await runCli(args)
  const out = stdout.text()
  return { code: process.exitCode, out: out.replace(/\n$/, ''), lines: linesOf(out), errors: stderr.text() }
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

/** Keeps what is written to it. */
class Capture extends Writable {
  readonly isTTY: boolean
  readonly columns: number | undefined
  readonly #chunks: Buffer[] = []

  constructor(isTTY: boolean, columns: number | undefined) {
    super()
    this.isTTY = isTTY
    this.columns = columns
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk)
    done()
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString()
  }
}
