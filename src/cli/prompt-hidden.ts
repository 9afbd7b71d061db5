import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { exitCodeOfSignal } from '../terminal/exit-codes.ts'

/**
 * Asks for a line on the terminal without showing what is typed. After Ctrl-C, returns undefined
 * and sets the exit code of the process.
 */
export async function promptHidden(question: string): Promise<string | undefined> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  // Asked once the terminal no longer echoes what is typed.
  process.stderr.write(question)
  const cancelled = new AbortController()
  terminal.on('SIGINT', () => {
    cancelled.abort()
    process.exitCode = exitCodeOfSignal('SIGINT')
  })
  try {
    return await terminal.question('', { signal: cancelled.signal })
  } catch (error) {
    if (cancelled.signal.aborted) return undefined
    throw error
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}
