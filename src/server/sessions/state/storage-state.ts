import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { StorageState } from '../../../contract/profiles.ts'
import { BowlineError } from '../../../kit/errors.ts'
import type { Browser } from '../../browsers/launch.ts'
import type { BrowserPool } from '../../browsers/pool.ts'
import type { Profiles } from '../../profiles/profiles.ts'
import type { ProfileName } from '../../store/profiles.ts'
import { readCookies, writeCookies, type BrowserCookie } from '../cookies.ts'
import { launchWithProfile, saveProfile } from '../profile-browser.ts'
import { readLocalStorage, type StorageItem } from './local-storage.ts'
import { openOriginPage } from './origin-page.ts'
import { readDatabases, writeStorage } from './page-scripts.ts'

/** What exports and imports are made with. */
export interface StateParts {
  readonly browsers: BrowserPool
  readonly profiles: Profiles
}

type Origin = StorageState['origins'][number]

/** Reads cookies, localStorage and IndexedDB of a profile's current version. Throws PROFILE_NOT_FOUND. */
export const exportState = async ({ browsers, profiles }: StateParts, name: ProfileName): Promise<StorageState> => {
  const { currentVersion } = await profiles.get(name)
  if (currentVersion === undefined) {
    throw new BowlineError('PROFILE_NOT_FOUND', `Nothing was saved in the profile "${name.name}" yet`)
  }
  await using profile = await profiles.open({ ...name, isWritable: false, sessionId: undefined })
  let items: ReadonlyMap<string, readonly StorageItem[]> = new Map()
  let withDatabases: readonly string[] = []
  const restore = async (userDataDir: string): Promise<string | undefined> => {
    const extras = await profile.restore(userDataDir)
    items = await readLocalStorage(userDataDir)
    withDatabases = await findDatabaseOrigins(userDataDir)
    return extras
  }
  await using undo = new AsyncDisposableStack()
  const browser = await launchWithProfile(browsers, { ...profile, restore })
  undo.defer(async () => browser.kill())
  const cookies = await readCookies(browser.router)
  return {
    cookies: cookies.map(toStateCookie),
    origins: await readOrigins(browser, items, withDatabases),
  }
}

/** Saves cookies, localStorage and IndexedDB as a new version that holds nothing else. Throws PROFILE_LOCKED. */
export const importState = async (
  { browsers, profiles }: StateParts,
  name: ProfileName,
  state: StorageState,
): Promise<void> => {
  await using profile = await profiles.open({ ...name, isWritable: true, sessionId: undefined })
  await using undo = new AsyncDisposableStack()
  const browser = await browsers.take()
  undo.defer(async () => browser.kill())
  await writeCookies(browser.router, state.cookies.map(toBrowserCookie)).catch((cause: unknown) => {
    throw new BowlineError('BAD_REQUEST', 'The browser does not take these cookies', { cause })
  })
  {
    using page = await openOriginPage(browser)
    for (const { origin, ...storage } of state.origins) await page.runAt(new URL(origin).origin, writeStorage, storage)
  }
  await saveProfile(profile, browser, undefined)
}

const readOrigins = async (
  browser: Browser,
  items: ReadonlyMap<string, readonly StorageItem[]>,
  withDatabases: readonly string[],
): Promise<Origin[]> => {
  using page = await openOriginPage(browser)
  const origins: Origin[] = []
  for (const origin of new Set([...items.keys(), ...withDatabases])) {
    const localStorage = [...(items.get(origin) ?? [])]
    if (!withDatabases.includes(origin)) origins.push({ origin, localStorage })
    else {
      const indexedDB = (await page.runAt(origin, readDatabases)) as NonNullable<Origin['indexedDB']>
      origins.push({ origin, localStorage, indexedDB })
    }
  }
  return origins
}

/** The folders of databases are named for their origins: `https_example.com_0.indexeddb.leveldb`. */
const findDatabaseOrigins = async (userDataDir: string): Promise<readonly string[]> => {
  const names = await readdir(join(userDataDir, 'Default/IndexedDB')).catch(() => [])
  return names.flatMap((name) => {
    const [, scheme = '', host = '', port = ''] = /^(https?)_(.+)_(\d+)\.indexeddb\.leveldb$/.exec(name) ?? []
    const url = URL.parse(`${scheme}://${host}${port === '0' ? '' : `:${port}`}`)
    return url === null ? [] : [url.origin]
  })
}

const toStateCookie = (cookie: BrowserCookie): StorageState['cookies'][number] => {
  const { name, value, domain, path, expires, httpOnly, secure, session, sameSite = 'Lax' } = cookie
  const site = cookie.partitionKey
  const isPartitioned = typeof site === 'object' && site !== null && 'topLevelSite' in site
  const partition = isPartitioned ? { partitionKey: String(site.topLevelSite) } : {}
  return { name, value, domain, path, expires: session ? -1 : expires, httpOnly, secure, sameSite, ...partition }
}

const toBrowserCookie = ({ partitionKey, ...cookie }: StorageState['cookies'][number]): BrowserCookie => ({
  ...cookie,
  session: cookie.expires < 0,
  ...(partitionKey === undefined ? {} : { partitionKey: { topLevelSite: partitionKey, hasCrossSiteAncestor: false } }),
})
