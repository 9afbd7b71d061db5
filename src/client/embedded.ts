import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedServer, type EmbeddedServer, type EmbeddedServerOptions } from './embedded-server.ts'
import { processGuard } from './process-guard.ts'

/** How a client with a server of its own is made. */
export interface EmbeddedOptions extends EmbeddedServerOptions {
  /** Whether SIGINT, SIGTERM and SIGHUP end the sessions and the server. Default true. */
  readonly handleSignals?: boolean | undefined
}

/** Starts a server that stops with the result, and at the latest with this process; its temporary folder goes too. */
export const startEmbedded = async ({ handleSignals, ...options }: EmbeddedOptions): Promise<EmbeddedServer> => {
  await using undo = new AsyncDisposableStack()
  const temporaryDir = options.dataDir === undefined ? await mkdtemp(join(tmpdir(), 'bowline-')) : undefined
  if (temporaryDir !== undefined) undo.defer(() => rm(temporaryDir, { recursive: true, force: true, maxRetries: 5 }))
  const dataDir = options.dataDir ?? temporaryDir
  const server = undo.use(await startEmbeddedServer({ ...options, dataDir }))
  const owned = undo.move()
  const stop = (): Promise<void> => owned.disposeAsync()
  const guarded = processGuard().hold({
    onSignal: handleSignals === false ? undefined : stop,
    ticket: () => undefined,
    // Its browsers die with the pipes this process holds.
    onExit: () => {
      if (temporaryDir !== undefined) rmSync(temporaryDir, { recursive: true, force: true, maxRetries: 2 })
    },
  })
  owned.use(guarded)
  return { url: server.url, apiKey: server.apiKey, [Symbol.asyncDispose]: stop }
}
