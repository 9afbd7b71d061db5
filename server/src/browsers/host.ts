import { findBrowser } from './find.ts'
import { openBootFolder } from './folders.ts'
import { startJanitor } from './janitor.ts'
import type { BrowserLaunchDeps } from './launch.ts'
import type { IsolationLayers } from './isolation.ts'
import type { BrowserKind, Environment } from './browser-locations.ts'
import { canSwitchUser, probeIsolation, type IsolationMode } from './probe-isolation.ts'
import { sweepLeftovers, type SweepReport } from './sweep-browsers.ts'

/** Options of `openBrowserHost`. */
export interface BrowserHostOptions {
  /** Data directory. This server must hold its lock. */
  readonly dataDir: string
  /** Which browser to use. Default: the headless shell, else full Chromium. */
  readonly choice?: BrowserKind | (string & {}) | undefined
  readonly environment: Environment
  /** Required isolation. Default: `auto`. */
  readonly isolationMode?: IsolationMode | undefined
  /** Isolation that an earlier start has probed. Default: probed by starting a browser. */
  readonly isolation?: IsolationLayers | undefined
}

/**
 * This machine, ready to run browsers. Disposing removes every browser folder of this run. Close
 * the browsers first.
 */
export interface BrowserHost extends BrowserLaunchDeps, AsyncDisposable {
  /** Browsers and folders of previous runs that were removed. */
  readonly swept: SweepReport
}

/**
 * Finds the browser, cleans up after previous runs, and probes the isolation of browsers on this
 * machine.
 */
export async function openBrowserHost(options: BrowserHostOptions, signal?: AbortSignal): Promise<BrowserHost> {
  const binary = await findBrowser(options.choice, options.environment)
  await using undo = new AsyncDisposableStack()
  const boot = undo.use(await openBootFolder({ dataDir: options.dataDir, isForOtherUids: canSwitchUser() }))
  undo.use(await startJanitor(boot.path))
  const swept = await sweepLeftovers(boot.runtimeDir, boot.path)
  const isolation =
    options.isolation ?? (await probeIsolation({ binary, boot }, options.isolationMode ?? 'auto', signal))
  const opened = undo.move()
  return { binary, boot, isolation, swept, [Symbol.asyncDispose]: async () => opened.disposeAsync() }
}
