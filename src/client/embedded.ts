import { mkdtempSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedServer, type EmbeddedServer, type EmbeddedServerOptions } from './embedded-server.ts'
import { processGuard } from './process-guard.ts'
import { AsyncDisposableStack } from '../kit/disposable-stack.ts'

/** How a client with a server of its own is made. */
export interface EmbeddedOptions extends EmbeddedServerOptions {
  /** Whether SIGINT, SIGTERM and SIGHUP end the sessions and the server. Default true. */
  readonly handleSignals?: boolean | undefined
}

/** Starts a server that stops with the result, and at the latest with this process; its temporary folder goes too. */
export async function startEmbedded({ handleSignals, ...options }: EmbeddedOptions): Promise<EmbeddedServer> {
  await using undo = new AsyncDisposableStack()
  // Made and guarded in one go: a signal in between would leave it behind.
  const temporaryDir = options.dataDir === undefined ? mkdtempSync(join(tmpdir(), 'bowline-')) : undefined
  const removeFolder = (): void => {
    if (temporaryDir !== undefined) rmSync(temporaryDir, { recursive: true, force: true, maxRetries: 2 })
  }
  undo.defer(async () => {
    if (temporaryDir !== undefined) await rm(temporaryDir, { recursive: true, force: true, maxRetries: 5 })
  })
  let server: EmbeddedServer | undefined
  const guarded = processGuard().hold({
    // A server that is still being started has no session yet that would be worth the wait.
    onSignal: handleSignals === false ? undefined : async () => server && stop(),
    deletionRequest: () => undefined,
    // Its browsers die with the pipes this process holds.
    onExit: removeFolder,
    onDeath: removeFolder,
  })
  undo.use(guarded)
  server = undo.use(await startEmbeddedServer({ ...options, dataDir: options.dataDir ?? temporaryDir }))
  const owned = undo.move()
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => (stopping ??= owned.disposeAsync())
  return { url: server.url, apiKey: server.apiKey, [Symbol.asyncDispose]: stop }
}
