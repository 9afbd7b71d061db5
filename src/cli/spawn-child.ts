import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { environmentWith } from '../client/config.ts'
import type { Session } from '../client/session.ts'
import type { ForwardedSignals } from './forward-signals.ts'
import { exitCodeOfSignal } from '../terminal/exit-codes.ts'
import { printError } from '../terminal/print.ts'
import { BowlineError } from '../kit/errors.ts'
import { isError } from '../kit/is-error.ts'

/**
 * Runs a command with the URLs of a session in its environment. Resolves to the exit code that a
 * shell would report: 127 if the command was not found, 126 if it is not executable.
 */
export async function spawnChild(
  [file = '', ...args]: readonly string[],
  session: Session,
  signals: ForwardedSignals,
  options: { readonly json?: boolean | undefined },
): Promise<number> {
  const child = spawn(file, args, {
    stdio: 'inherit',
    env: environmentWith({
      BOWLINE_CDP_URL: session.cdpUrl,
      BOWLINE_SESSION_ID: session.id,
      BOWLINE_LIVE_VIEW_URL: session.liveViewUrl || undefined,
      BOWLINE_INTERACTIVE_LIVE_VIEW_URL: session.interactiveLiveViewUrl || undefined,
    }),
  })
  signals.forwardTo(child)
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
    return signal === null ? (code ?? 1) : exitCodeOfSignal(signal)
  } catch (error) {
    const { message, exitCode } = explainFailure(file, error)
    printError(new BowlineError('COMMAND_FAILED', message), options)
    return exitCode
  }
}

/** Throws the error if it is not about the file. */
function explainFailure(file: string, error: unknown): { readonly message: string; readonly exitCode: number } {
  const code = isError(error) && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return { message: `${file} was not found`, exitCode: 127 }
  if (code === 'EACCES') return { message: `${file} is not executable`, exitCode: 126 }
  throw error
}
