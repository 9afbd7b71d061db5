/**
 * Permissions that an extension may have: they act on pages, tabs and storage of its own session,
 * with the rights of a web page or of a CDP client. Requests go through the egress proxy.
 */
const allowed: ReadonlySet<string> = new Set([
  'activeTab',
  'alarms',
  'bookmarks',
  'browsingData',
  'clipboardRead',
  'clipboardWrite',
  'contextMenus',
  'cookies',
  'declarativeContent',
  'declarativeNetRequest',
  'declarativeNetRequestFeedback',
  'declarativeNetRequestWithHostAccess',
  'favicon',
  'history',
  'idle',
  'notifications',
  'offscreen',
  'scripting',
  'sidePanel',
  'storage',
  'tabGroups',
  'tabs',
  'topSites',
  'unlimitedStorage',
  'webNavigation',
  'webRequest',
  'webRequestAuthProvider',
  // Chromium ignores it in manifest v3.
  'webRequestBlocking',
])

/** Why a permission is refused, where that is not obvious. */
const refused: Readonly<Record<string, string>> = {
  contentSettings: 'it changes which plugins, scripts and prompts the browser allows',
  debugger: 'it attaches to every page of the browser, without the checks on CDP clients',
  desktopCapture: 'it captures the screen of the server',
  dns: 'it resolves names without the egress proxy',
  downloads: 'it writes files outside the limits on the files of a session, and can open them',
  'downloads.open': 'it opens files with programs of the server',
  enterprise: 'it is for managed devices',
  fontSettings: 'it changes settings of the browser',
  gcm: 'it connects to a messaging service outside the session',
  geolocation: 'it sends the networks near the server to a location service; use `geolocation` of the session',
  identity: 'it signs in with accounts of the browser, which has none',
  management: 'it changes and starts other extensions',
  nativeMessaging: 'it starts programs on the server',
  pageCapture: 'it reads pages that the extension has no access to',
  platformKeys: 'it uses certificates of the server',
  privacy: 'it changes which connections bypass the egress proxy',
  processes: 'it lists and ends processes of the browser',
  proxy: 'it replaces the egress proxy; use `proxy` of the session',
  system: 'it describes the hardware of the server',
  tabCapture: 'it needs a click on the toolbar of the browser',
  userScripts: 'it needs a switch on an internal page of the browser',
  vpnProvider: 'it replaces the network of the browser',
  webAuthenticationProxy: 'it replaces the security keys of the browser',
}

/** Describes why an extension may not have a permission. Undefined: it may. */
export function permissionProblem(permission: string): string | undefined {
  if (allowed.has(permission)) return undefined
  const reason = reasonFor(permission)
  if (reason !== undefined) return `the permission \`${permission}\` is not allowed: ${reason}`
  if (permission.includes('://')) return `${JSON.stringify(permission)} belongs in \`host_permissions\``
  return `the permission ${JSON.stringify(permission.slice(0, 100))} is not allowed. Allowed are ${[...allowed].join(', ')}`
}

/** Names such as `system.cpu` have the reason of `system`. */
function reasonFor(permission: string): string | undefined {
  const names = [permission, permission.split('.')[0] ?? '']
  return names.map((name) => (Object.hasOwn(refused, name) ? refused[name] : undefined)).find(Boolean)
}

/** Describes why an extension may not access the hosts of a match pattern. Undefined: it may. */
export function hostProblem(pattern: string): string | undefined {
  if (pattern === '<all_urls>' || /^(?:\*|https?|wss?):\/\//.test(pattern)) return undefined
  const shown = JSON.stringify(pattern.slice(0, 100))
  return `access to ${shown} is not allowed: only http, https, ws and wss, since other addresses are files and internal pages`
}
