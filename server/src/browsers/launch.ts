import { randomBytes } from 'node:crypto'
import type { Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { abortable, signalWithTimeout } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { routePipe, type CdpRouter } from '../cdp/router.ts'
import { watchTargetKinds, type TargetWatch } from '../cdp/target-watch.ts'
import { startProcess, type BrowserExit, type BrowserProcess } from './browser-process.ts'
import type { BrowserBinary } from './find.ts'
import { browserArgs, browserEnvironment } from './flags.ts'
import { blockInternalPages } from './preferences.ts'
import { giveTo, jailPaths, removeFolder, type BootFolder, type BrowserFolder } from './folders.ts'
import { jailOf, nextUid, wrapCommand, type IsolationLayers } from './isolation.ts'
import { browserLedger, writeLedger } from './ledger.ts'
import { exportedListener } from './export-listener.ts'
import { findParkedPage, type ParkedPage } from './parked-page.ts'
import { killUser } from './process-table.ts'
import { watchBrowser, type WatchOptions } from './watch-browser.ts'

/** What every browser of this server is started with. */
export interface BrowserLaunchDeps {
  readonly binary: BrowserBinary
  readonly layers: IsolationLayers
  readonly boot: BootFolder
}

/** The way out of one browser. It is closed when the browser is gone. */
export interface BrowserProxy extends AsyncDisposable {
  /** Such as `http://127.0.0.1:40123`. It speaks HTTP and SOCKS5. */
  readonly server: string
  /** Takes the listening socket of the browser's own network that it was asked for as `lentPort`. */
  readonly serve?: (listener: Server) => void
  /** Removes the proxy from a CDP message of the browser. */
  readonly correct?: (message: Buffer) => Buffer
  /** What went through it so far. */
  readonly traffic: () => { readonly sentBytes: number; readonly receivedBytes: number; readonly refused: number }
}

/** What a proxy is opened with. */
export interface ProxyOptions {
  /** The user of the browser. Undefined: the server's own. */
  readonly uid: number | undefined
  /** The port inside the browser's own network on which it will ask for the proxy. Undefined: it shares the machine's network. */
  readonly exportedListener: number | undefined
}

/** How one browser differs from the others. */
export interface LaunchOptions {
  /** Opens the proxy that everything the browser loads goes through, loopback addresses too. Default: no proxy. */
  readonly openProxy?: ((options: ProxyOptions) => Promise<BrowserProxy>) | undefined
  /** Fills the user-data-dir before the start. What it puts there is given to the browser's user afterwards. */
  readonly prepare?: ((folder: BrowserFolder) => Promise<void>) | undefined
  /** Further command line arguments. Default: none. */
  readonly extraArgs?: readonly string[] | undefined
  /** Time for start and first answer. Default: 30 s. */
  readonly timeoutMs?: number | undefined
  /** When the browser counts as hung, and is killed. */
  readonly watch?: Omit<WatchOptions, 'onHung'> | undefined
}

/** A running browser with one parked page. Disposing closes it. */
export interface Browser extends AsyncDisposable {
  readonly id: string
  readonly pid: number
  /** The user it runs as. Undefined: the server's own. */
  readonly uid: number | undefined
  readonly binary: BrowserBinary
  readonly router: CdpRouter
  readonly folder: BrowserFolder
  readonly proxy: BrowserProxy | undefined
  /** Knows which of its targets are not web pages. */
  readonly targets: TargetWatch
  /** The about:blank page that is there from the start. */
  readonly parkedTargetId: string
  /** The id of the default context. Undefined: the browser did not name it. */
  readonly defaultContextId: string | undefined
  /** As the browser says, such as `HeadlessChrome/156.0.8078.79`. */
  readonly version: string
  /** Resolves when the browser is gone. Never rejects. A browser that hangs is killed. */
  readonly exited: Promise<BrowserExit>
  /** For how long it has owed an answer, or did before it was killed for that, in milliseconds; 0 while it owes none. */
  readonly silentMs: () => number
  /**
   * Asks the browser to close, so that it writes its profile, and kills it after `timeoutMs` (default 5000; the first call
   * decides). Its folder stays until `close` or `kill`.
   */
  readonly stop: (timeoutMs?: number) => Promise<BrowserExit>
  /** Stops the browser and removes its folder. A second call waits for the first. */
  readonly close: () => Promise<void>
  /** Kills the browser at once and removes its folder. */
  readonly kill: () => Promise<void>
}

const startTimeoutMs = 30_000
const stopTimeoutMs = 5000

/** Starts a browser. Throws BROWSER_START_FAILED with its last words, or the signal's reason, after all is undone. */
export async function launchBrowser(
  launchDeps: BrowserLaunchDeps,
  options: LaunchOptions = {},
  signal?: AbortSignal,
): Promise<Browser> {
  signal?.throwIfAborted()
  await using undo = new AsyncDisposableStack()
  const { binary, layers, boot } = launchDeps
  const id = randomBytes(5).toString('hex')
  const uid = nextUid(layers)
  const folder = await boot.addBrowser(id, uid, jailOf(layers) === undefined ? undefined : jailPaths)
  const removeAll = async (): Promise<void> => {
    // Crash handlers, and whatever broke out, have left the process group.
    if (uid !== undefined && layers.runAs === 'each') killUser(uid)
    await removeFolder(folder.root)
  }
  undo.defer(removeAll)
  await prepareProfile(folder, { ...options, kind: binary.kind, uid })
  signal?.throwIfAborted()
  const isOffline = jailOf(layers)?.isOffline === true
  const proxy = await options.openProxy?.({ uid, exportedListener: isOffline ? exportedListener : undefined })
  const isExporting = isOffline && proxy !== undefined
  if (proxy !== undefined) undo.use(proxy)
  const args = browserArgs({ ...options, proxyServer: proxy?.server, binary, layers, folder })
  const command = await wrapCommand(layers, { file: binary.path, args }, { folder, isExporting })
  const started = await startProcess(command, {
    uid,
    isWrapped: jailOf(layers) !== undefined,
    isExporting,
    environment: browserEnvironment(folder),
  })
  undo.defer(async () => {
    started.kill()
    await started.exited
  })
  writeLedger(folder.root, browserLedger, started.pid)
  const router = routePipe(started.pipe, proxy?.correct)
  const { version, parked, targets } = await answered(started, { router, proxy, kind: binary.kind }, options, signal)
  undo.move()
  const watch = watchBrowser(router, { ...options.watch, onHung: () => started.kill() })
  void started.exited.then(async () => {
    watch[Symbol.dispose]()
    await proxy?.[Symbol.asyncDispose]()
  })
  return {
    id,
    pid: started.pid,
    uid,
    binary,
    router,
    folder,
    proxy,
    targets,
    parkedTargetId: parked.targetId,
    defaultContextId: parked.browserContextId,
    version,
    silentMs: watch.silentMs,
    ...ending(started, { router, watch, removeAll }),
  }
}

/** Fills the user-data-dir and gives it to the browser's user. */
async function prepareProfile(
  folder: BrowserFolder,
  { prepare, kind, uid }: Pick<LaunchOptions, 'prepare'> & Pick<BrowserBinary, 'kind'> & Pick<Browser, 'uid'>,
): Promise<void> {
  await prepare?.(folder)
  if (kind === 'chromium') await blockInternalPages(folder.userDataDir)
  if (uid !== undefined) await giveTo(uid, folder.userDataDir)
}

async function answered(
  started: BrowserProcess,
  deps: { readonly router: CdpRouter; readonly proxy: BrowserProxy | undefined; readonly kind: BrowserBinary['kind'] },
  { timeoutMs = startTimeoutMs }: LaunchOptions,
  signal: AbortSignal | undefined,
): Promise<{ version: string; parked: ParkedPage; targets: TargetWatch }> {
  const { router, proxy, kind } = deps
  const greet = async (): Promise<{ version: string; parked: ParkedPage; targets: TargetWatch }> => {
    const watching = watchTargetKinds(router, { hasInternalFrames: kind === 'chromium' })
    const [{ product }, targets, parked] = await Promise.all([
      router.call('Browser.getVersion'),
      watching,
      findParkedPage(router, watching),
      started.exportedListener?.then((listener) => proxy?.serve?.(listener)),
    ])
    return { version: String(product), parked, targets }
  }
  try {
    return await abortable(greet(), signalWithTimeout(signal, timeoutMs))
  } catch (error) {
    signal?.throwIfAborted()
    const isLate = Error.isError(error) && error.name === 'TimeoutError'
    // The pipe ends a little before the process does.
    if (!isLate) await Promise.race([started.exited, sleep(1000, undefined, { ref: false })])
    const words = started.lastWords() || 'it said nothing'
    const what = isLate ? `did not answer within ${timeoutMs / 1000} s` : 'failed at its start'
    throw new BowlineError('BROWSER_START_FAILED', `The browser ${what}: ${words}`, { cause: error })
  }
}

type Ending = Pick<Browser, 'exited' | 'stop' | 'close' | 'kill' | typeof Symbol.asyncDispose>

function ending(
  started: BrowserProcess,
  {
    router,
    watch,
    removeAll,
  }: { readonly router: CdpRouter; readonly watch: Disposable; readonly removeAll: () => Promise<void> },
): Ending {
  let stopping: Promise<BrowserExit> | undefined
  let removing: Promise<void> | undefined
  const stop = async (timeoutMs = stopTimeoutMs): Promise<BrowserExit> => {
    // From here on it has its own time limit, and may be too busy to answer.
    watch[Symbol.dispose]()
    stopping ??= askToClose(started, router, timeoutMs)
    return stopping
  }
  const remove = async (): Promise<void> => {
    removing ??= removeAll()
    return removing
  }
  const close = async (): Promise<void> => {
    await stop()
    await remove()
  }
  const kill = async (): Promise<void> => {
    started.kill()
    await started.exited
    await remove()
  }
  return { exited: started.exited, stop, close, kill, [Symbol.asyncDispose]: close }
}

async function askToClose(started: BrowserProcess, router: CdpRouter, timeoutMs: number): Promise<BrowserExit> {
  // A client that has stopped reading must not keep the browser from being heard.
  router.resume()
  // The pipe may close before the answer. Only the exit counts.
  router.call('Browser.close').catch(() => undefined)
  const killer = setTimeout(() => started.kill(), timeoutMs)
  const exit = await started.exited
  clearTimeout(killer)
  return exit
}
