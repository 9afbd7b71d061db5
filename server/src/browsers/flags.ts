import { emulationArgs, emulationEnvironment, type LaunchEmulation } from './emulation-flags.ts'
import type { BrowserBinary } from './find.ts'
import type { BrowserFolder } from './folders.ts'
import { jailOf, type IsolationLayers } from './isolation.ts'

/** Options of `browserArgs`. */
export interface FlagOptions {
  readonly binary: BrowserBinary
  readonly folder: BrowserFolder
  readonly isolation: IsolationLayers
  readonly proxyServer?: string | undefined
  readonly extraArgs?: readonly string[] | undefined
  readonly emulation?: LaunchEmulation | undefined
  readonly isHeadful?: boolean | undefined
  /** Whether extensions are loaded after the start. Default: false. */
  readonly hasExtensions?: boolean | undefined
}

/**
 * Features that call home, search for devices on the local network, change page content, or keep
 * internal pages (`WebUI…`) open from which a client could navigate to `file:` URLs.
 */
const disabledFeatures = [
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'DialMediaRouteProvider',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'Translate',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxPopup',
]

/** Features that clients rely on. */
const enabledFeatures = [
  // Playwright, which enables it in browsers that it launches, never gets a screenshot of a tab in
  // the background otherwise.
  'CDPScreenshotNewSurface',
]

/**
 * Features that save processes. On Linux the network service has no sandbox: it has the same rights
 * as the main process of the browser. In that process, it saves 11 MB and a tenth of the start.
 */
const savingFeatures = ['NetworkServiceInProcess2']

/** Arguments of every browser. */
const behaviour = [
  // The only control channel: there is no port that a page or another session could find.
  '--remote-debugging-pipe',
  // No prompts, since no user can respond to them.
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-search-engine-choice-screen',
  '--disable-hang-monitor',
  '--disable-prompt-on-repost',
  // No traffic except what the session causes.
  '--disable-background-networking',
  '--disable-client-side-phishing-detection',
  '--disable-component-extensions-with-background-pages',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-sync',
  '--metrics-recording-only',
  '--no-pings',
  `--disable-features=${disabledFeatures.join(',')}`,
  // Field trials would make two runs differ.
  '--disable-field-trial-config',
  '--force-color-profile=srgb',
  // Processes that start without the sandbox are started directly, with the same rights. The process
  // that otherwise forks them takes longer to start than it saves.
  '--no-unsandboxed-zygote',
  // Crash dumps would outlive the session. (`--disable-crashpad-for-testing` makes the network
  // service of full Chromium crash.)
  '--disable-breakpad',
  '--disable-crash-reporter',
  // There is no keyring, and a profile must be readable on any machine that restores it.
  '--password-store=basic',
  '--use-mock-keychain',
  // Background pages run as fast as visible ones.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-ipc-flooding-protection',
  '--disable-renderer-backgrounding',
  // Scripts call `window.open` without a user gesture.
  '--disable-popup-blocking',
  // UDP would bypass the proxy.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  // Going back reloads the page, so that a client's request handlers see the requests.
  '--disable-back-forward-cache',
  // Clients may click before the first frame of a page is drawn.
  '--allow-pre-commit-input',
  // A mouse, which machines without a screen lack. Phone emulation removes it.
  '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4',
  '--hide-scrollbars',
  '--mute-audio',
  '--window-size=1280,720',
]

/**
 * The viewport of full Chromium without windows. Its `--window-size` includes the toolbar, and is
 * larger than its default screen.
 */
const defaultViewport = { width: 1280, height: 720, deviceScaleFactor: 1 }

/** The command line arguments of a browser. The parked page is last. */
export function browserArgs({
  binary,
  folder,
  isolation,
  proxyServer,
  extraArgs = [],
  emulation,
  isHeadful = false,
  hasExtensions = false,
}: FlagOptions): readonly string[] {
  const viewport = emulation?.viewport ?? (binary.kind === 'chromium' && !isHeadful ? defaultViewport : undefined)
  return [
    ...(binary.kind === 'chromium' && !isHeadful ? ['--headless=new'] : []),
    ...behaviour,
    // Chromium reads only the last argument of this name.
    `--enable-features=${[...enabledFeatures, ...savingFeatures, ...(proxyServer === undefined ? [] : [proxyLimit])].join(',')}`,
    // Only the debugging pipe can load an extension. `--disable-extensions-except` would load it at
    // the start, before the options of the session apply to its requests.
    hasExtensions ? '--enable-unsafe-extension-debugging' : '--disable-extensions',
    ...(isHeadful ? headfulArgs(emulation?.viewport?.deviceScaleFactor) : []),
    // No `--disk-cache-dir`: all contexts would share that folder, and requests of the second one
    // would wait forever for its lock.
    `--user-data-dir=${folder.visiblePaths.userDataDir}`,
    ...(isolation.isSandboxed ? [] : ['--no-sandbox']),
    // In bubblewrap the browser has its own /dev/shm.
    ...(isolation.isShmSmall && jailOf(isolation) === undefined ? ['--disable-dev-shm-usage'] : []),
    ...(proxyServer === undefined ? [] : proxyArgs(proxyServer, jailOf(isolation)?.hasOwnNetwork === true)),
    ...emulationArgs({ ...emulation, viewport }, binary.kind),
    ...extraArgs,
    'about:blank',
  ]
}

function headfulArgs(deviceScaleFactor = 1): readonly string[] {
  return [
    '--ozone-platform=x11',
    '--window-position=0,0',
    // Without an infobar about the other arguments, which would cover part of the first page.
    '--test-type',
    `--force-device-scale-factor=${deviceScaleFactor}`,
    // WebGL without a GPU, which headless Chromium has anyway.
    '--enable-unsafe-swiftshader',
  ]
}

/**
 * Returns how Chromium is told to use a proxy of the server. Requests to an HTTP proxy have
 * different headers in a different order, so http goes over SOCKS. WebSockets use the https proxy.
 */
export function proxyServerOf(server: string): string {
  return `http=${server.replace(/^http:/, 'socks5:')};https=${server}`
}

/**
 * Raises the number of connections to one proxy, 32 or 128 by version, to the number that Chromium
 * opens without a proxy. The policy `MaxConnectionsPerProxy` does the same in full Chromium only,
 * for all browsers of the machine.
 */
const proxyLimit = 'TcpSocketPoolProxyLimit:TcpSocketPoolProxyLimitNormal/256/TcpSocketPoolProxyLimitWebSocket/256'

function proxyArgs(server: string, hasOwnNetwork: boolean): readonly string[] {
  return [
    `--proxy-server=${proxyServerOf(server)}`,
    // Loopback addresses would bypass the proxy.
    '--proxy-bypass-list=<-loopback>',
    '--disable-quic',
    // The proxy resolves names. Anything that resolves one in the browser would bypass it:
    // prefetching, WebRTC, WebTransport. Names of proxies are resolved as well. In a network of its
    // own, a browser finds nothing else at loopback addresses.
    `--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE ${hasOwnNetwork ? '127.0.0.*' : '127.0.0.1'}`,
  ]
}

/**
 * The complete environment of a browser. Nothing of the server's environment is passed on. Only
 * launcher scripts find programs: full Chromium would start `xdg-email`, outside its sandbox and
 * the egress proxy, with the URL of any `mailto:` link.
 */
export function browserEnvironment(
  { visiblePaths }: BrowserFolder,
  { isScript, emulation }: { readonly isScript: boolean; readonly emulation?: LaunchEmulation | undefined },
): Readonly<Record<string, string>> {
  return {
    HOME: visiblePaths.tmpDir,
    LANG: 'C.UTF-8',
    // Without PATH, programs are found in the folders of the system.
    PATH: isScript ? '/usr/local/bin:/usr/bin:/bin' : '/nonexistent',
    TMPDIR: visiblePaths.tmpDir,
    XDG_CACHE_HOME: `${visiblePaths.tmpDir}/cache`,
    XDG_CONFIG_HOME: `${visiblePaths.tmpDir}/config`,
    ...emulationEnvironment(emulation),
  }
}
