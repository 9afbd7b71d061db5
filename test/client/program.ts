import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { wasmCompilerFlags } from '../../server/src/cli/limit-wasm-compiler.ts'

/** A program started in its own process. */
export interface Program extends AsyncDisposable {
  readonly child: ChildProcess
  readonly lines: readonly string[]
  readonly errors: () => string
  /** Resolves to the first line of standard output that starts with `prefix`. */
  readonly line: (prefix: string) => Promise<string>
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
}

/**
 * Starts a file of this repository, given by its path from the root, with `input` as standard input
 * (default: empty). It is killed at the end of the test if it is still running.
 */
export function startProgram(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  input?: string,
): Program {
  const path = fileURLToPath(new URL(`../../${file}`, import.meta.url))
  const child = spawn(process.execPath, [...wasmCompilerFlags, path, ...args], {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    // Runs in its own process group, as in a terminal.
    detached: true,
  })
  child.stdin.end(input)
  const lines: string[] = []
  let errors = ''
  const waiting: { readonly prefix: string; readonly resolve: (line: string) => void }[] = []
  const reader = createInterface({ input: child.stdout })
  reader.on('line', (line) => {
    lines.push(line)
    for (const { prefix, resolve } of waiting) if (line.startsWith(prefix)) resolve(line)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }))
  return {
    child,
    lines,
    errors: () => errors,
    line: async (prefix) => {
      const { promise, resolve } = Promise.withResolvers<string>()
      waiting.push({ prefix, resolve })
      const early = lines.find((line) => line.startsWith(prefix))
      if (early !== undefined) resolve(early)
      return Promise.race([
        promise,
        ended.then(() =>
          Promise.reject(new Error(`The program ended without "${prefix}": ${lines.join('\n')}\n${errors}`)),
        ),
      ])
    },
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
