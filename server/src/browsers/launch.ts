import { randomBytes } from 'node:crypto'
import type { Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionNetwork, SessionProxy } from 'bowline/contract/session-network'
import { abortable, signalWithTimeout } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { routePipe, type MessageFilter, type CdpRouter } from '../cdp/router.ts'
import { guardInternalPages, type TargetKinds } from '../cdp/internal-pages.ts'
import {
  assertLoadsExtensions,
  idsWithoutFileAccess,
  unpackExtensions,
  type LaunchExtension,
} from './browser-extensions.ts'
import { startProcess, type BrowserExit, type BrowserProcess } from './browser-process.ts'
import { startDisplay, type Display } from './display.ts'
import type { BrowserBinary } from './find.ts'
import type { LaunchEmulation } from './emulation-flags.ts'
import { browserArgs, browserEnvironment } from './flags.ts'
import { blockInternalPages } from './preferences.ts'
import { chownTree, jailPaths, removeFolder, type BootFolder, type BrowserFolder } from './folders.ts'
import { jailOf, nextUid, wrapCommand, type IsolationLayers } from './isolation.ts'
import { browserLedger, writeLedger } from './ledger.ts'
import { jailProxyPort } from './export-listener.ts'
import { findParkedPage, type ParkedPage } from './parked-page.ts'
import { isScript } from './real-binary.ts'
import { killUser } from './process-table.ts'
import { watchBrowser, type WatchOptions } from './watch-browser.ts'

/** Dependencies that every launch shares. */
export interface BrowserLaunchDeps {
  readonly binary: BrowserBinary
  readonly isolation: IsolationLayers
  readonly boot: BootFolder
}

/**
 * The part of an egress proxy endpoint that a browser needs. It is closed when the browser has
 * exited.
 */
export interface ProxyEndpoint extends AsyncDisposable {
  /** Proxy URL, such as `http://127.0.0.1:40123`. It speaks HTTP and SOCKS5. */
  readonly server: string
  /** Listens on a socket from the browser's own network, if `jailProxyPort` was set. */
  readonly listenOn?: (listener: Server) => void
  /** Listens on a socket of another network whose processes belong to the browser's session. */
  readonly listenAlso?: (listener: Server) => AsyncDisposable
  /** Removes traces of the proxy from the CDP messages of the browser. */
  readonly messages?: MessageFilter
  /** Counts the name lookups of the browser for an owner, such as a team. Default: the browser. */
  readonly setLookupOwner?: (ownerId: string) => void
  /** Applies the options of a session. Throws EGRESS_REFUSED or EGRESS_FAILED. */
  readonly applyNetwork?: (network: SessionNetwork) => Promise<void>
  /** Opens the proxy of a context. It also accepts SOCKS5 unless `asksForCredentials` is set. */
  readonly openContext?: (
    proxy: SessionProxy,
  ) => Promise<{ readonly server: string; readonly asksForCredentials: boolean }>
  /** Records a refused page. `explanation` is appended to the error of its navigation. */
  readonly noteRefusedPage?: (explanation: string) => void
  /** Traffic through the proxy so far. */
  readonly traffic: () => { readonly sentBytes: number; readonly receivedBytes: number; readonly refused: number }
}

/** Options of `LaunchOptions.openProxyEndpoint`. */
export interface ProxyEndpointOptions {
  /** The user the browser runs as. Undefined: the server's own. */
  readonly uid: number | undefined
  /**
   * Port on all addresses of the browser's own network, on which it connects to the proxy.
   * Undefined: it shares the machine's network.
   */
  readonly jailProxyPort: number | undefined
}

/** Options of one launch. */
export interface LaunchOptions {
  /**
   * Opens the proxy for all traffic of the browser, including loopback addresses. Default: no
   * proxy.
   */
  readonly openProxyEndpoint?: ((options: ProxyEndpointOptions) => Promise<ProxyEndpoint>) | undefined
  /** Fills the user-data-dir before the start. Its files are then given to the browser's user. */
  readonly fillUserDataDir?: ((folder: BrowserFolder) => Promise<void>) | undefined
  /** Additional command line arguments. Default: none. */
  readonly extraArgs?: readonly string[] | undefined
  /** Extensions that `loadExtensions` can load. Full Chromium only. Default: none. */
  readonly extensions?: readonly LaunchExtension[] | undefined
  /** Screen, languages, time zone and user agent. Default: those of the browser. */
  readonly emulation?: LaunchEmulation | undefined
  /** Shows windows on a virtual display. Full Chromium only. Default: false. */
  readonly isHeadful?: boolean | undefined
  /** Timeout of the start and the first response. Default: 30 s. */
  readonly timeoutMs?: number | undefined
  /** Limits after which the browser counts as hung and is killed. */
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
  readonly proxy: ProxyEndpoint | undefined
  /** Tracks which targets are not web pages. */
  readonly targetKinds: TargetKinds
  /** Ids of the extensions that `loadExtensions` loads. */
  readonly extensionIds: readonly string[]
  /** Target id of the initial about:blank page. */
  readonly parkedTargetId: string
  /** Id of the default context. Undefined if the browser does not report it. */
  readonly defaultContextId: string | undefined
  /** Version reported by the browser, such as `HeadlessChrome/156.0.8078.79`. */
  readonly version: string
  /** Resolves when the browser has exited. Never rejects. A browser that hangs is killed. */
  readonly exited: Promise<BrowserExit>
  /**
   * Milliseconds for which the browser has not responded; 0 if it responds. Keeps its value after a
   * hung browser was killed.
   */
  readonly unresponsiveMs: () => number
  /**
   * Asks the browser to close, so that it writes its profile, and kills it after `timeoutMs`
   * (default: 5000; the first call decides). Its folder stays until `close` or `kill`.
   */
  readonly stop: (timeoutMs?: number) => Promise<BrowserExit>
  /** Stops the browser and removes its folder. A second call waits for the first. */
  readonly close: () => Promise<void>
  /** Kills the browser immediately and removes its folder. */
  readonly kill: () => Promise<void>
}

const startTimeoutMs = 30_000
const stopTimeoutMs = 5000

/**
 * Starts a browser. Throws BROWSER_START_FAILED with its stderr output, or the signal's reason.
 * Cleans up before it throws.
 */
export async function launchBrowser(
  launchDeps: BrowserLaunchDeps,
  options: LaunchOptions = {},
  signal?: AbortSignal,
): Promise<Browser> {
  signal?.throwIfAborted()
  await using undo = new AsyncDisposableStack()
  const { binary, isolation, boot } = launchDeps
  const id = randomBytes(5).toString('hex')
  const uid = nextUid(isolation)
  const folder = await boot.addBrowser(id, uid, jailOf(isolation) === undefined ? undefined : jailPaths)
  let display: Display | undefined
  const removeAll = async (): Promise<void> => {
    await display?.[Symbol.asyncDispose]()
    // Crash handlers, and code that escaped the sandbox, may have left the process group. Finding
    // them reads all of `/proc`. In bubblewrap, the kernel kills them with the first process.
    if (uid !== undefined && isolation.runAs === 'each' && jailOf(isolation) === undefined) killUser(uid)
    await removeFolder(folder.root)
  }
  undo.defer(removeAll)
  const mounts = await prepareFolder(folder, { ...options, kind: binary.kind, isolation, uid })
  signal?.throwIfAborted()
  if (options.isHeadful === true) {
    const viewport = options.emulation?.viewport
    display = await startDisplay({ kind: binary.kind, isolation, folder, uid, viewport }, signal)
  }
  const hasOwnNetwork = jailOf(isolation)?.hasOwnNetwork === true
  const proxy = await options.openProxyEndpoint?.({ uid, jailProxyPort: hasOwnNetwork ? jailProxyPort : undefined })
  if (proxy !== undefined) undo.use(proxy)
  const started = await startOn(launchDeps, options, { uid, folder, proxy, display, mounts, hasOwnNetwork })
  undo.defer(async () => {
    started.kill()
    await started.exited
  })
  writeLedger(folder.root, browserLedger, started.pid)
  const router = routePipe(started.pipe, proxy?.messages)
  const ready = await waitUntilReady(started, { router, proxy, kind: binary.kind }, options, signal)
  undo.move()
  const watch = watchBrowser(router, { ...options.watch, onHung: () => started.kill() })
  void started.exited.then(async () => {
    watch[Symbol.dispose]()
    await Promise.all([proxy?.[Symbol.asyncDispose](), display?.[Symbol.asyncDispose]()])
  })
  return {
    id,
    pid: started.pid,
    uid,
    binary,
    router,
    folder,
    proxy,
    targetKinds: ready.targetKinds,
    extensionIds: idsOf(options),
    parkedTargetId: ready.parked.targetId,
    defaultContextId: ready.parked.browserContextId,
    version: ready.version,
    unresponsiveMs: watch.unresponsiveMs,
    ...createControls(started, { router, watch, removeAll }),
  }
}

interface BrowserResources {
  readonly uid: number | undefined
  readonly folder: BrowserFolder
  readonly proxy: ProxyEndpoint | undefined
  readonly display: Display | undefined
  /** bubblewrap arguments for the extensions. */
  readonly mounts: readonly string[]
  readonly hasOwnNetwork: boolean
}

/** Starts the process of a browser in its isolation. */
async function startOn(
  { binary, isolation }: BrowserLaunchDeps,
  options: LaunchOptions,
  { uid, folder, proxy, display, mounts, hasOwnNetwork }: BrowserResources,
): Promise<BrowserProcess> {
  const isExporting = hasOwnNetwork && proxy !== undefined
  const hasExtensions = (options.extensions ?? []).length > 0
  const args = browserArgs({ ...options, hasExtensions, proxyServer: proxy?.server, binary, isolation, folder })
  const jailOptions = { folder, isExporting, mounts: [...mounts, ...(display?.mounts ?? [])] }
  const command = await wrapCommand(isolation, { file: binary.path, args }, jailOptions)
  // A program that cannot be read fails to start with a better error.
  const mayBeScript = await isScript(binary.path).catch(() => false)
  const environment = browserEnvironment(folder, { isScript: mayBeScript, emulation: options.emulation })
  return startProcess(command, {
    uid,
    isWrapped: jailOf(isolation) !== undefined,
    isExporting,
    environment: { ...environment, ...display?.environment },
  })
}

/** Ids of the extensions of a browser. */
function idsOf({ extensions = [] }: Pick<LaunchOptions, 'extensions'>): readonly string[] {
  return extensions.map(({ runtimeId }) => runtimeId)
}

/**
 * Fills the user-data-dir and gives it to the browser's user. Returns the bubblewrap arguments of
 * the extensions.
 */
async function prepareFolder(
  folder: BrowserFolder,
  {
    fillUserDataDir,
    extensions = [],
    kind,
    isolation,
    uid,
  }: Pick<LaunchOptions, 'fillUserDataDir' | 'extensions'> &
    Pick<BrowserBinary, 'kind'> &
    Pick<BrowserLaunchDeps, 'isolation'> &
    Pick<Browser, 'uid'>,
): Promise<readonly string[]> {
  if (extensions.length > 0) assertLoadsExtensions(kind, jailOf(isolation)?.hasOwnNetwork === true)
  await fillUserDataDir?.(folder)
  if (kind === 'chromium') {
    const withoutFiles = idsWithoutFileAccess(folder, extensions)
    await blockInternalPages(folder.userDataDir, { extensionIds: idsOf({ extensions }), withoutFiles })
  }
  if (uid !== undefined) await chownTree(uid, folder.userDataDir)
  return unpackExtensions(folder, extensions, uid)
}

async function waitUntilReady(
  started: BrowserProcess,
  deps: {
    readonly router: CdpRouter
    readonly proxy: ProxyEndpoint | undefined
    readonly kind: BrowserBinary['kind']
  },
  { timeoutMs = startTimeoutMs, extensions }: LaunchOptions,
  signal: AbortSignal | undefined,
): Promise<{ version: string; parked: ParkedPage; targetKinds: TargetKinds }> {
  const { router, proxy, kind } = deps
  const connect = async (): Promise<{ version: string; parked: ParkedPage; targetKinds: TargetKinds }> => {
    const watching = guardInternalPages(router, {
      hasInternalFrames: kind === 'chromium',
      extensionIds: idsOf({ extensions }),
    })
    const [{ product }, targetKinds, parked] = await Promise.all([
      router.call('Browser.getVersion'),
      watching,
      findParkedPage(router, watching),
      started.exportedListener?.then((listener) => proxy?.listenOn?.(listener)),
    ])
    return { version: product, parked, targetKinds }
  }
  try {
    return await abortable(connect(), signalWithTimeout(signal, timeoutMs))
  } catch (error) {
    signal?.throwIfAborted()
    const isLate = Error.isError(error) && error.name === 'TimeoutError'
    // The pipe closes shortly before the process exits.
    if (!isLate) await Promise.race([started.exited, sleep(1000, undefined, { ref: false })])
    const output = started.lastWords() || 'it wrote nothing to stderr'
    const problem = isLate ? `did not respond within ${timeoutMs / 1000} s` : 'failed to start'
    throw new BowlineError('BROWSER_START_FAILED', `The browser ${problem}: ${output}`, { cause: error })
  }
}

type Controls = Pick<Browser, 'exited' | 'stop' | 'close' | 'kill' | typeof Symbol.asyncDispose>

function createControls(
  started: BrowserProcess,
  {
    router,
    watch,
    removeAll,
  }: { readonly router: CdpRouter; readonly watch: Disposable; readonly removeAll: () => Promise<void> },
): Controls {
  let stopping: Promise<BrowserExit> | undefined
  let removing: Promise<void> | undefined
  const stop = async (timeoutMs = stopTimeoutMs): Promise<BrowserExit> => {
    // From here on `stop` has its own timeout, and the browser may be too busy to respond.
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
  // A client that has stopped reading must not block the exit.
  router.resume()
  // The pipe may close before the response arrives. Only the exit matters.
  router.call('Browser.close').catch(() => undefined)
  const killer = setTimeout(() => started.kill(), timeoutMs)
  const exit = await started.exited
  clearTimeout(killer)
  return exit
}
