import { chmod, chown, lchown, lstat, mkdir, readdir, rm, rmdir } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { dirname, join, resolve } from 'node:path'
import { BowlineError } from 'bowline/kit/errors'
import { sha256 } from 'bowline/kit/sha256'
import { serverLedger, writeLedger } from './ledger.ts'

/** The folders of one browser. */
export interface BrowserPaths {
  readonly userDataDir: string
  readonly tmpDir: string
  readonly downloadsDir: string
  /** The browser can read files here, but not change them. */
  readonly uploadsDir: string
  /** Exists if extensions are loaded. The browser can read them, but not change them. */
  readonly extensionsDir: string
}

/** Folders of one browser on the server's machine. All are removed when the browser is closed. */
export interface BrowserFolder extends BrowserPaths {
  /** Owned by the server, so that the browser cannot replace the folders in it or its ledger. */
  readonly root: string
  /** The same folders as the browser sees them. CDP commands and events use these paths. */
  readonly visiblePaths: BrowserPaths
}

/**
 * Folder paths inside bubblewrap. They are the same for every browser and reveal nothing about the
 * machine.
 */
export const jailPaths: BrowserPaths = {
  userDataDir: '/browser/profile',
  tmpDir: '/tmp',
  downloadsDir: '/browser/downloads',
  uploadsDir: '/browser/uploads',
  extensionsDir: '/browser/extensions',
}

/** The folder of one run of the server. Disposing removes it with its contents. */
export interface BootFolder extends AsyncDisposable {
  readonly path: string
  /** Contains the boot folders of this data directory. */
  readonly runtimeDir: string
  /**
   * Creates the folders of one browser. `uid`: the user it runs as (default: the server's).
   * `visiblePaths`: the paths it sees (default: the real ones).
   */
  readonly addBrowser: (id: string, uid: number | undefined, visiblePaths?: BrowserPaths) => Promise<BrowserFolder>
}

/** Options of `openBootFolder`. */
export interface BootFolderOptions {
  readonly dataDir: string
  /** Whether browsers run under other uids than the server's. */
  readonly isForOtherUids: boolean
}

/** Chromium creates a socket below TMPDIR, and socket paths are limited to 107 characters. */
const longestRuntimeDir = 107 - '/0123abcd/0123456789/tmp/org.chromium.Chromium.XXXXXX/SingletonSocket'.length

/**
 * Creates the folder of this run of the server: in the data directory if browsers can reach it
 * there, else in `/var/tmp`.
 */
export async function openBootFolder(options: BootFolderOptions): Promise<BootFolder> {
  const bootId = randomBytes(4).toString('hex')
  const open = async (): Promise<string> => {
    const runtimeDir = await openRuntimeDir(options)
    await mkdir(join(runtimeDir, bootId), { mode: 0o711 })
    return runtimeDir
  }
  // The janitor of a previous run may have removed the empty folder just now.
  const runtimeDir = await open().catch(open)
  const path = join(runtimeDir, bootId)
  await chmod(path, options.isForOtherUids ? 0o711 : 0o700)
  writeLedger(path, serverLedger, process.pid)
  return {
    path,
    runtimeDir,
    addBrowser: async (id, uid, visiblePaths) => makeBrowserFolder(join(path, id), uid, visiblePaths),
    [Symbol.asyncDispose]: async () => {
      await removeFolder(path)
      // Another run of the server may still use it.
      await rmdir(runtimeDir).catch(() => undefined)
    },
  }
}

/**
 * Removes a folder. Retries for half a second, because a browser that is exiting may still write.
 */
export async function removeFolder(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
}

/** Changes the owner of a folder and everything in it to `uid`. Does not follow links. */
export async function chownTree(uid: number, path: string): Promise<void> {
  await lchown(path, uid, uid)
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  for (const entry of entries) await lchown(join(entry.parentPath, entry.name), uid, uid)
}

async function makeBrowserFolder(
  root: string,
  uid: number | undefined,
  visiblePaths: BrowserPaths | undefined,
): Promise<BrowserFolder> {
  const folder: BrowserPaths = {
    userDataDir: join(root, 'profile'),
    tmpDir: join(root, 'tmp'),
    downloadsDir: join(root, 'downloads'),
    uploadsDir: join(root, 'uploads'),
    extensionsDir: join(root, 'extensions'),
  }
  await mkdir(root, { mode: 0o700 })
  for (const path of [folder.userDataDir, folder.tmpDir, folder.downloadsDir]) {
    await mkdir(path, { mode: 0o700 })
    if (uid !== undefined) await chown(path, uid, uid)
  }
  await mkdir(folder.uploadsDir, { mode: 0o750 })
  if (uid !== undefined) {
    await chown(folder.uploadsDir, ownUid(), uid)
    await chown(root, ownUid(), uid)
    await chmod(root, 0o710)
  }
  return { ...folder, root, visiblePaths: visiblePaths ?? folder }
}

async function openRuntimeDir({ dataDir, isForOtherUids }: BootFolderOptions): Promise<string> {
  const path = resolve(dataDir)
  await mkdir(path, { recursive: true, mode: 0o700 })
  const inside = join(path, 'run')
  const isShort = inside.length <= longestRuntimeDir
  if (isShort && (!isForOtherUids || (await canPass(path)))) {
    await ensureOwnFolder(inside, isForOtherUids)
    return inside
  }
  const outside = `/var/tmp/bowline-${sha256(path).toString('hex').slice(0, 12)}`
  await ensureOwnFolder(outside, isForOtherUids)
  return outside
}

/**
 * Whether any user can traverse the folders to `path`. Makes the last one traversable if the server
 * owns it.
 */
async function canPass(path: string): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode } = await lstat(folder)
    if ((mode & 0o001) === 0) return false
    if (folder === dirname(folder)) break
  }
  const { mode, uid } = await lstat(path)
  if ((mode & 0o001) !== 0) return true
  if (uid !== ownUid()) return false
  await chmod(path, (mode & 0o777) | 0o011)
  return true
}

/**
 * Creates a folder, or checks that an existing one belongs to this user alone: anyone can create
 * entries in `/var/tmp`.
 */
async function ensureOwnFolder(path: string, isForOtherUids: boolean): Promise<void> {
  await mkdir(path, { mode: 0o711 }).catch((error: unknown) => {
    if (!Error.isError(error) || !('code' in error) || error.code !== 'EEXIST') throw error
  })
  const found = await lstat(path)
  const { mode, uid } = found
  if (!found.isDirectory() || uid !== ownUid() || (mode & 0o022) !== 0)
    throw new BowlineError(
      'CONFIG_INVALID',
      `${path} must be a folder that only this user (uid ${ownUid()}) can write to (owner ${uid}, mode ${(mode & 0o777).toString(8)}).`,
      { hint: 'Remove it or use another `--data-dir`.' },
    )
  await chmod(path, isForOtherUids ? 0o711 : 0o700)
}

function ownUid(): number {
  return process.getuid?.() ?? 0
}
