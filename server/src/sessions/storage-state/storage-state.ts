import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { StorageState } from 'bowline/contract/profiles'
import { BowlineError } from 'bowline/kit/errors'
import type { Browser } from '../../browsers/launch.ts'
import { overrideProfile, type HeldProfile } from '../../profiles/held-profile.ts'
import { isProfileLocked, lockedForChange } from '../../profiles/profile-locked.ts'
import type { Profiles } from '../../profiles/profiles.ts'
import type { ProfileName } from '../../profiles/profile-queries.ts'
import { readCookies, writeCookies, type BrowserCookie } from '../cookies.ts'
import type { Sessions } from '../sessions.ts'
import { findMissingCookies, missingCookiesWarning } from './find-missing-cookies.ts'
import { loadStorageDatabase, readLocalStorage, type StorageItem } from './local-storage.ts'
import { openOriginPage } from './origin-page.ts'
import { readDatabases, writeStorage } from './page-scripts.ts'
import { runInSession } from './internal-session.ts'

/** Dependencies of `exportState` and `importState`. */
export interface StateDeps {
  readonly sessions: Sessions
  readonly profiles: Profiles
}

/** The profile to export or import. Aborting stops the work. An aborted import changes nothing. */
export interface StateRequest extends ProfileName {
  readonly apiKeyId: string
  readonly signal: AbortSignal
}

type Origin = StorageState['origins'][number]

/** Maximum duration of an export. It visits every origin with databases. */
const exportSeconds = 300

/** Maximum duration of an import, plus time for each origin it visits. */
const importSeconds = 60
const importSecondsPerOrigin = 1

/**
 * Reads cookies, localStorage and IndexedDB of a profile's current version, in a session that is
 * billed.
 * Throws PROFILE_NOT_FOUND, PACKAGE_MISSING, the errors of `Sessions.create`, or SESSION_ENDED
 * after 300 s.
 */
export async function exportState(
  { sessions, profiles }: StateDeps,
  { teamId, name, ...request }: StateRequest,
): Promise<StorageState> {
  const { currentVersion } = await profiles.get({ teamId, name })
  if (currentVersion === undefined) {
    throw new BowlineError('PROFILE_NOT_FOUND', `The profile "${name}" has no saved version yet`)
  }
  // Fails before the session is created and billed.
  await loadStorageDatabase()
  let items: ReadonlyMap<string, readonly StorageItem[]> = new Map()
  let withDatabases: readonly string[] = []
  const wrapProfile = (profile: HeldProfile): HeldProfile =>
    overrideProfile(profile, {
      restore: async (userDataDir) => {
        const sessionCookiesJson = await profile.restore(userDataDir)
        items = await readLocalStorage(userDataDir)
        withDatabases = await findDatabaseOrigins(userDataDir)
        return sessionCookiesJson
      },
    })
  const session = { ...request, teamId, work: 'export', ttl: exportSeconds, use: { wrapProfile } }
  return runInSession(sessions, { ...session, profile: { name, saveChanges: false } }, async (browser, signal) => {
    const cookies = await readCookies(browser.router)
    return { cookies: cookies.map(toStateCookie), origins: await readOrigins(browser, items, withDatabases, signal) }
  })
}

/**
 * Saves cookies, localStorage and IndexedDB as a new version without other data, in a session that
 * is billed. Returns the number of the version, and a warning about cookies that were not stored.
 * Throws BAD_REQUEST, PROFILE_LOCKED, PROFILE_TOO_LARGE, the errors of `Sessions.create`, or
 * SESSION_ENDED if it takes too long.
 */
export async function importState(
  { sessions }: StateDeps,
  { name, ...request }: StateRequest,
  state: StorageState,
): Promise<{ readonly version: number; readonly warning: string | undefined }> {
  const save = new ImportSave()
  const ttl = importSeconds + state.origins.length * importSecondsPerOrigin
  const session = { ...request, work: 'import', ttl, use: { startsEmpty: true, wrapProfile: save.wrap } }
  const work = async (browser: Browser, signal: AbortSignal): Promise<string | undefined> => {
    await writeCookies(browser.router, state.cookies.map(toBrowserCookie)).catch((cause: unknown) => {
      throw new BowlineError('BAD_REQUEST', 'The browser rejected the cookies', { cause })
    })
    const missing = findMissingCookies(state.cookies, await readCookies(browser.router))
    using page = await openOriginPage(browser)
    for (const { origin, ...storage } of state.origins) {
      signal.throwIfAborted()
      await page.runAt(new URL(origin).origin, writeStorage, storage)
    }
    save.isComplete = true
    return missingCookiesWarning(missing)
  }
  try {
    const warning = await runInSession(sessions, { ...session, profile: { name, saveChanges: true } }, work)
    return { version: save.savedVersion(), warning }
  } catch (error) {
    throw isProfileLocked(error) ? lockedForChange(error) : error
  }
}

/** Saves the profile at the end of a session only if the import is complete. */
class ImportSave {
  isComplete = false
  #outcome: { readonly version: number } | { readonly error: unknown } | undefined

  readonly wrap = (profile: HeldProfile): HeldProfile =>
    overrideProfile(profile, {
      isWritable: () => this.isComplete,
      save: async (request) => {
        try {
          // An imported version was not created by a client's session.
          const saved = await profile.save({ ...request, sessionId: undefined })
          this.#outcome = { version: saved.version }
          return saved
        } catch (error) {
          this.#outcome = { error }
          throw error
        }
      },
    })

  /** Throws the error of the save, or CDP_FAILED. */
  savedVersion(): number {
    if (this.#outcome === undefined) {
      throw new BowlineError('CDP_FAILED', 'The browser did not write the imported data: the profile is unchanged')
    }
    if ('error' in this.#outcome) throw this.#outcome.error
    return this.#outcome.version
  }
}

async function readOrigins(
  browser: Browser,
  items: ReadonlyMap<string, readonly StorageItem[]>,
  withDatabases: readonly string[],
  signal: AbortSignal,
): Promise<Origin[]> {
  using page = await openOriginPage(browser)
  const origins: Origin[] = []
  for (const origin of new Set([...items.keys(), ...withDatabases])) {
    signal.throwIfAborted()
    const localStorage = [...(items.get(origin) ?? [])]
    if (!withDatabases.includes(origin)) origins.push({ origin, localStorage })
    else {
      const indexedDB = (await page.runAt(origin, readDatabases)) as NonNullable<Origin['indexedDB']>
      origins.push({ origin, localStorage, indexedDB })
    }
  }
  return origins
}

/**
 * Origins with databases. The folder names contain them: `https_example.com_0.indexeddb.leveldb`.
 */
async function findDatabaseOrigins(userDataDir: string): Promise<readonly string[]> {
  // A profile without IndexedDB has no such folder.
  const names = await readdir(join(userDataDir, 'Default/IndexedDB')).catch(() => [])
  return names.flatMap((name) => {
    const [, scheme = '', host = '', port = ''] = /^(https?)_(.+)_(\d+)\.indexeddb\.leveldb$/.exec(name) ?? []
    const url = URL.parse(`${scheme}://${host}${port === '0' ? '' : `:${port}`}`)
    return url === null ? [] : [url.origin]
  })
}

function toStateCookie(cookie: BrowserCookie): StorageState['cookies'][number] {
  const { name, value, domain, path, expires, httpOnly, secure, session, sameSite = 'Lax' } = cookie
  const site = cookie.partitionKey
  const isPartitioned = typeof site === 'object' && site !== null && 'topLevelSite' in site
  const partition = isPartitioned ? { partitionKey: site.topLevelSite } : {}
  return { name, value, domain, path, expires: session ? -1 : expires, httpOnly, secure, sameSite, ...partition }
}

function toBrowserCookie({ partitionKey, ...cookie }: StorageState['cookies'][number]): BrowserCookie {
  return {
    ...cookie,
    session: cookie.expires < 0,
    ...(partitionKey === undefined
      ? {}
      : { partitionKey: { topLevelSite: partitionKey, hasCrossSiteAncestor: false } }),
  }
}
