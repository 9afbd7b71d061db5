import type { BrowserBinary } from './find.ts'
import type { BrowserFolder } from './folders.ts'
import { jailOf, type IsolationLayers } from './isolation.ts'

/** What the command line of a browser is made from. */
export interface FlagOptions {
  readonly binary: BrowserBinary
  readonly folder: BrowserFolder
  readonly layers: IsolationLayers
  readonly proxyServer?: string | undefined
  readonly extraArgs?: readonly string[] | undefined
}

/**
 * Features that call home, look for devices in the local network, change what a page is given, or keep pages of the
 * browser's own (`WebUI…`) open, from which a client could go to `file:` addresses.
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

/** The same for every browser. */
const behaviour = [
  // The only way in. There is no port that a page or another session could find.
  '--remote-debugging-pipe',
  // Nobody answers questions here.
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-search-engine-choice-screen',
  '--disable-hang-monitor',
  '--disable-prompt-on-repost',
  // Only what the session asks for goes out.
  '--disable-background-networking',
  '--disable-client-side-phishing-detection',
  '--disable-component-extensions-with-background-pages',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-sync',
  '--metrics-recording-only',
  '--no-pings',
  `--disable-features=${disabledFeatures.join(',')}`,
  // Experiments would make two runs differ.
  '--disable-field-trial-config',
  '--force-color-profile=srgb',
  // Dumps would outlive the session. (`--disable-crashpad-for-testing` makes the network service of full Chromium crash.)
  '--disable-breakpad',
  '--disable-crash-reporter',
  // There is no keyring. A profile must be readable wherever it is restored.
  '--password-store=basic',
  '--use-mock-keychain',
  // A page that no one looks at works as fast as one in front.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-ipc-flooding-protection',
  '--disable-renderer-backgrounding',
  // `window.open` without a click is what scripts do.
  '--disable-popup-blocking',
  // UDP would go past the proxy.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  // Going back loads the page again, so that requests reach the handlers of a client.
  '--disable-back-forward-cache',
  // A client may click before the first frame of a page is drawn.
  '--allow-pre-commit-input',
  // A mouse, which machines without a screen lack. Emulation of a phone takes it away.
  '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4',
  '--hide-scrollbars',
  '--mute-audio',
  '--window-size=1280,720',
]

/** The arguments of a browser, with the parked page last. */
export function browserArgs({ binary, folder, layers, proxyServer, extraArgs = [] }: FlagOptions): readonly string[] {
  return [
    ...(binary.kind === 'chromium' ? ['--headless=new'] : []),
    ...behaviour,
    // No `--disk-cache-dir`: every context would share that folder, and the second one's requests wait for ever for its lock.
    `--user-data-dir=${folder.seen.userDataDir}`,
    ...(layers.isSandboxed ? [] : ['--no-sandbox']),
    // Bubblewrap gives it a /dev/shm of its own.
    ...(layers.isShmSmall && jailOf(layers) === undefined ? ['--disable-dev-shm-usage'] : []),
    ...(proxyServer === undefined ? [] : proxyArgs(proxyServer)),
    ...extraArgs,
    'about:blank',
  ]
}

function proxyArgs(server: string): readonly string[] {
  return [
    // Requests to an HTTP proxy are sent with other headers, in another order. WebSockets go by the proxy for https.
    `--proxy-server=http=${server.replace(/^http:/, 'socks5:')};https=${server}`,
    // Loopback addresses would go past the proxy.
    '--proxy-bypass-list=<-loopback>',
    '--disable-quic',
    // The proxy resolves names. What asks for one here would not go through it: prefetching, WebRTC, WebTransport.
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  ]
}

/** The whole environment of a browser: nothing of the server's own. */
export function browserEnvironment({ seen }: BrowserFolder): Readonly<Record<string, string>> {
  return {
    HOME: seen.tmpDir,
    LANG: 'C.UTF-8',
    PATH: '/usr/local/bin:/usr/bin:/bin',
    TMPDIR: seen.tmpDir,
    XDG_CACHE_HOME: `${seen.tmpDir}/cache`,
    XDG_CONFIG_HOME: `${seen.tmpDir}/config`,
  }
}
