import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A program of this folder in a separate process. Disposing kills it. */
export interface Program extends AsyncDisposable {
  /** The first line that it printed. */
  readonly line: string
}

/** Starts a program of this folder and waits for its first line. */
export async function startProgram(name: string, ...args: readonly string[]): Promise<Program> {
  const child = spawn(process.execPath, [join(import.meta.dirname, name), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const [first] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    line: first.toString().trim(),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}
