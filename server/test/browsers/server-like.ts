import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { knownIsolation } from '../../../test/lab/known-isolation.ts'

/** A process that holds browsers as a server does. Disposing kills it. */
export interface ServerLike extends AsyncDisposable {
  /** Pids of its browsers, in the order of their mechanisms. */
  readonly browserPids: readonly number[]
  readonly bootPath: string
  /** Sends SIGKILL and waits until the process has exited. */
  readonly kill: () => Promise<void>
}

/**
 * Mechanisms that end a browser with its server. The pipe always does; the others are used where
 * possible.
 */
export type KillMechanism = 'own network' | 'bubblewrap' | 'signal' | 'pipe'

const program = fileURLToPath(new URL('programs/hold-browser.ts', import.meta.url))

/** Starts a process with a browser for each mechanism. `headful`: full Chromium with windows. */
export async function startServerLike(
  dataDir: string,
  mechanisms: readonly KillMechanism[],
  browser: 'shell' | 'headful' = 'shell',
): Promise<ServerLike> {
  const isolation = await knownIsolation({ browser: 'shell', isolation: 'auto' })
  const args = [program, dataDir, JSON.stringify(isolation), browser, ...mechanisms]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const failed = exited.then(([code]) => Promise.reject(new Error(`Exited with ${code} before it had a browser`)))
  const [line] = (await Promise.race([once(child.stdout, 'data'), failed])) as [Buffer]
  const said = JSON.parse(line.toString()) as { pids: readonly number[]; bootPath: string }
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
  }
  return { browserPids: said.pids, bootPath: said.bootPath, kill, [Symbol.asyncDispose]: kill }
}
