/**
 * What a profile keeps of a browser's user-data-dir: cookies, storage of every kind, service workers with their scripts,
 * permissions. Caches, history, tabs, crash data, downloaded components and locks stay out. Both kinds of Chromium use
 * the same names.
 */
const keptPaths = [
  'Default/Cookies',
  'Default/Cookies-journal',
  'Default/File System',
  'Default/IndexedDB',
  'Default/Local Storage',
  'Default/Network',
  'Default/Preferences',
  'Default/Service Worker/CacheStorage',
  'Default/Service Worker/Database',
  // Without the scripts Chromium forgets the registrations.
  'Default/Service Worker/ScriptCache',
  'Default/SharedStorage',
  'Default/TransportSecurity',
  'Default/WebStorage',
]

/** LevelDB's locks mean nothing in another place. */
const droppedNames = new Set(['LOCK', 'LOG', 'LOG.old'])

/** Whether a file of the user-data-dir belongs to the profile. The path is relative, with `/`. */
export function isKeptFile(path: string): boolean {
  const parts = path.split('/')
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..' && !/[\0\\]/.test(part))
  return (
    isPlain &&
    !droppedNames.has(parts.at(-1) ?? '') &&
    keptPaths.some((kept) => path === kept || path.startsWith(`${kept}/`))
  )
}

/** Whether a folder of the user-data-dir may hold such files. */
export function mayHoldKeptFiles(path: string): boolean {
  return keptPaths.some((kept) => kept.startsWith(`${path}/`) || path === kept || path.startsWith(`${kept}/`))
}
