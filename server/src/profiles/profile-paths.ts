/**
 * Paths of a user-data-dir that a profile keeps: cookies, all kinds of storage, service workers
 * with their scripts, permissions. Caches, history, tabs, crash data, downloaded components and
 * locks are left out. Both kinds of Chromium use the same names.
 */
const profilePaths = [
  'Default/Cookies',
  'Default/Cookies-journal',
  'Default/File System',
  'Default/IndexedDB',
  // `chrome.storage.local` of extensions.
  'Default/Local Extension Settings',
  'Default/Local Storage',
  'Default/Network',
  'Default/Preferences',
  'Default/Service Worker/CacheStorage',
  'Default/Service Worker/Database',
  // Without the scripts, Chromium drops the registrations.
  'Default/Service Worker/ScriptCache',
  'Default/SharedStorage',
  'Default/TransportSecurity',
  'Default/WebStorage',
]

/** Names of LevelDB's lock and log files, which are useless in a copy. */
const droppedNames = new Set(['LOCK', 'LOG', 'LOG.old'])

/**
 * Whether a file of the user-data-dir belongs to the profile. The path is relative and uses `/`.
 */
export function isProfileFile(path: string): boolean {
  const parts = path.split('/')
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..' && !/[\0\\]/.test(part))
  return (
    isPlain &&
    !droppedNames.has(parts.at(-1) ?? '') &&
    profilePaths.some((kept) => path === kept || path.startsWith(`${kept}/`))
  )
}

/** Whether a folder of the user-data-dir can contain files of the profile. */
export function canContainProfileFiles(path: string): boolean {
  return profilePaths.some((kept) => kept.startsWith(`${path}/`) || path === kept || path.startsWith(`${kept}/`))
}
