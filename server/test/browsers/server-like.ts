import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { SweepReport } from '../../src/browsers/sweep-browsers.ts'

/** A process that holds one browser as a server does. Disposing kills it. */
export interface ServerLike extends AsyncDisposable {
  readonly browserPid: number
  readonly bootPath: string
  readonly swept: SweepReport
  /** Sends SIGKILL and waits until the process has exited. */
  readonly kill: () => Promise<void>
}

/**
 * Mechanisms that end a browser with its server. The pipe always does; the others are used where
 * possible.
 */
export type KillMechanism = 'own network' | 'bubblewrap' | 'signal' | 'pipe'

const program = fileURLToPath(new URL('programs/hold-browser.ts', import.meta.url))

/** Starts a process. Default: all mechanisms that the machine supports. */
export async function startServerLike(dataDir: string, mechanism: KillMechanism = 'bubblewrap'): Promise<ServerLike> {
  const child = spawn(process.execPath, [program, dataDir, mechanism], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const failed = exited.then(([code]) => Promise.reject(new Error(`Exited with ${code} before it had a browser`)))
  const [line] = (await Promise.race([once(child.stdout, 'data'), failed])) as [Buffer]
  const said = JSON.parse(line.toString()) as { pid: number; bootPath: string; swept: SweepReport }
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
  }
  return { browserPid: said.pid, bootPath: said.bootPath, swept: said.swept, kill, [Symbol.asyncDispose]: kill }
}
