import { mkdtempSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedServer, type EmbeddedServer, type EmbeddedServerOptions } from './embedded-server.ts'
import { processGuard } from './process-guard.ts'
import { AsyncDisposableStack } from '../kit/disposable-stack.ts'
import { BowlineError } from '../kit/errors.ts'

/**
 * Options of `Bowline.embedded()`.
 *
 * @example
 * ```ts
 * import { Bowline, type EmbeddedOptions } from 'bowline'
 *
 * const options: EmbeddedOptions = { warm: 1, maxSessions: 2, allow: ['127.0.0.1'] }
 * await using bowline = await Bowline.embedded(options)
 * console.log(bowline.baseUrl)
 * ```
 */
export interface EmbeddedOptions extends EmbeddedServerOptions {
  /** End the sessions and the server on SIGINT, SIGTERM and SIGHUP. Default: true. */
  readonly handleSignals?: boolean | undefined
}

/**
 * Starts a server that stops when the result is disposed of, at the latest when the process exits.
 * Removes its temporary directory.
 */
export async function startEmbedded({ handleSignals, ...options }: EmbeddedOptions): Promise<EmbeddedServer> {
  await using undo = new AsyncDisposableStack()
  // Create and guard the directory synchronously: a signal in between would leave it behind.
  const temporaryDir = options.dataDir === undefined ? mkdtempSync(join(tmpdir(), 'bowline-')) : undefined
  const removeFolder = (): void => {
    if (temporaryDir !== undefined) rmSync(temporaryDir, { recursive: true, force: true, maxRetries: 2 })
  }
  undo.defer(async () => {
    if (temporaryDir !== undefined) await rm(temporaryDir, { recursive: true, force: true, maxRetries: 5 })
  })
  let server: EmbeddedServer | undefined
  const startAbort = new AbortController()
  const startSettled = Promise.withResolvers<void>()
  let processSurvived: Promise<void> | undefined
  const onSignal = async (name: NodeJS.Signals, survived: Promise<void>): Promise<void> => {
    if (server !== undefined) return stop()
    // If the start continued, it would create the directory again after its removal.
    processSurvived = survived
    startAbort.abort(new BowlineError('ABORTED', `The start of the embedded server was aborted by ${name}`))
    await startSettled.promise
  }
  const resource = processGuard().endWithProcess({
    onSignal: handleSignals === false ? undefined : onSignal,
    deletionRequest: () => undefined,
    // Its browsers exit when the pipes of this process close.
    onExit: removeFolder,
    beforeSignalExit: removeFolder,
  })
  undo.use(resource)
  try {
    const dataDir = options.dataDir ?? temporaryDir
    server = undo.use(await startEmbeddedServer({ ...options, dataDir }, startAbort.signal))
  } finally {
    startSettled.resolve()
    // If the signal ends the process, this stays pending, so that the error cannot surface first.
    await processSurvived
  }
  const owned = undo.move()
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => (stopping ??= owned.disposeAsync())
  return { url: server.url, apiKey: server.apiKey, [Symbol.asyncDispose]: stop }
}
