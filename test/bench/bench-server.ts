import { mkdtemp, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserKind } from '../../server/src/browsers/browser-locations.ts'
import { startServerProcess, type ServerProcess } from '../lab/server-process.ts'

/** A server in a separate process with its own data directory. */
export interface BenchServer extends ServerProcess {
  readonly dataDir: string
  /** Resolves when the pool is fully warm. */
  readonly untilWarm: () => Promise<void>
}

/**
 * Starts `bowline serve` and waits until its pool is warm. Disposing kills it and removes its data.
 */
export async function startBenchServer(options: {
  readonly browser: BrowserKind
  readonly warm: number
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}): Promise<BenchServer> {
  await using undo = new AsyncDisposableStack()
  const dataDir = await mkdtemp('/var/tmp/bowline-bench-')
  undo.defer(async () => rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const flags = [
    '--browser',
    options.browser,
    '--warm',
    String(options.warm),
    '--max-sessions',
    '50',
    ...(options.flags ?? []),
  ]
  // The home directory holds the template of an empty store, which only the first server on a
  // machine has to create.
  const server = undo.use(await startServerProcess({ dataDir, flags, env: { HOME: homedir(), ...options.env } }))
  const untilWarm = async (): Promise<void> => {
    for (;;) {
      const { body } = await server.api('GET', '/readyz')
      if (Number(body['pool']?.warm) >= options.warm) return
      await sleep(25)
    }
  }
  await untilWarm()
  const owned = undo.move()
  return { ...server, dataDir, untilWarm, [Symbol.asyncDispose]: async () => owned.disposeAsync() }
}
