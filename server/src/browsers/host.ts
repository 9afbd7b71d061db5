import { findBrowser } from './find.ts'
import { openBootFolder } from './folders.ts'
import { startJanitor } from './janitor.ts'
import type { BrowserLaunchDeps } from './launch.ts'
import type { IsolationLayers } from './isolation.ts'
import type { BrowserKind, Environment } from './browser-locations.ts'
import { canSwitchUser, probeIsolation, type Isolation } from './probe-isolation.ts'
import { sweepLeftovers, type SweepReport } from './sweep.ts'

/** Options of `openBrowserHost`. */
export interface BrowserHostOptions {
  /** Must be held by this server alone. */
  readonly dataDir: string
  /** Which browser. Default: the shell when there is one. */
  readonly choice?: BrowserKind | (string & {}) | undefined
  readonly environment: Environment
  /** Default: `auto`. */
  readonly isolation?: Isolation | undefined
  /** The layers that an earlier start has found to hold here. Default: found out by starting a browser. */
  readonly layers?: IsolationLayers | undefined
}

/** This machine, ready to run browsers. Disposing removes every browser folder of this run; close the browsers first. */
export interface BrowserHost extends BrowserLaunchDeps, AsyncDisposable {
  /** What earlier runs had left behind. */
  readonly swept: SweepReport
}

/** Finds the browser, cleans up after earlier runs, and finds out in which layers browsers run here. */
export async function openBrowserHost(options: BrowserHostOptions, signal?: AbortSignal): Promise<BrowserHost> {
  const binary = await findBrowser(options.choice, options.environment)
  await using undo = new AsyncDisposableStack()
  const boot = undo.use(await openBootFolder({ dataDir: options.dataDir, isForOtherUids: canSwitchUser() }))
  undo.use(await startJanitor(boot.path))
  const swept = await sweepLeftovers(boot.runtimeDir, boot.path)
  const layers = options.layers ?? (await probeIsolation({ binary, boot }, options.isolation ?? 'auto', signal))
  const opened = undo.move()
  return { binary, boot, layers, swept, [Symbol.asyncDispose]: async () => opened.disposeAsync() }
}
