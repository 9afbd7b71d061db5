import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { wasmCompilerFlags } from '../../src/cli/limit-wasm-compiler.ts'

/** Returns the path of a program in `programs/`. */
export function programPath(name: string): string {
  return fileURLToPath(new URL(`./programs/${name}.ts`, import.meta.url))
}

/** A running program with its output, line by line. */
export interface Program extends AsyncDisposable {
  readonly lines: AsyncIterableIterator<string>
  readonly kill: () => Promise<void>
  /** Resolves with the exit code, or null if the program was killed. */
  readonly exited: Promise<number | null>
}

/** Starts a program in `programs/`. Disposing kills it. */
export function startProgram(name: string, parameters: readonly string[]): Program {
  const child: ChildProcess = spawn(process.execPath, [...wasmCompilerFlags, programPath(name), ...parameters], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
  }
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]() as AsyncIterableIterator<string>
  return { lines, kill, exited, [Symbol.asyncDispose]: kill }
}
