import { chmod, chown, lchown, lstat, mkdir, readdir, rm, rmdir } from 'node:fs/promises'
import { createHash, randomBytes } from 'node:crypto'
import { dirname, join, resolve } from 'node:path'
import { BowlineError } from 'bowline/kit/errors'
import { serverLedger, writeLedger } from './ledger.ts'

/** The folders of one browser. */
export interface BrowserPaths {
  readonly userDataDir: string
  readonly tmpDir: string
  readonly downloadsDir: string
  /** The browser may read what is put here and change nothing. */
  readonly uploadsDir: string
}

/** Where one browser keeps its files. All of them go when the browser goes. */
export interface BrowserFolder extends BrowserPaths {
  /** Belongs to the server, so that the browser cannot exchange the folders in it or its ledger. */
  readonly root: string
  /** The same folders as the browser knows them: what goes into commands to it, and comes with its events. */
  readonly seen: BrowserPaths
}

/** The folders as every browser inside bubblewrap sees them. They tell nothing of the machine. */
export const jailPaths: BrowserPaths = {
  userDataDir: '/browser/profile',
  tmpDir: '/tmp',
  downloadsDir: '/browser/downloads',
  uploadsDir: '/browser/uploads',
}

/** The folder of one run of the server. Disposing removes it with all it holds. */
export interface BootFolder extends AsyncDisposable {
  readonly path: string
  /** Holds the boot folders of this data directory. */
  readonly runtimeDir: string
  /** Makes the folder of one browser that runs as `uid` (default: as the server does) and sees it at `seen` (default: where it is). */
  readonly addBrowser: (id: string, uid: number | undefined, seen?: BrowserPaths) => Promise<BrowserFolder>
}

/** Options of `openBootFolder`. */
export interface BootFolderOptions {
  readonly dataDir: string
  /** Whether browsers run under other uids than the server's. */
  readonly isForOtherUids: boolean
}

/** Chromium puts a socket below TMPDIR, and the path of a socket ends at 107 characters. */
const longestRuntimeDir = 107 - '/0123abcd/0123456789/tmp/org.chromium.Chromium.XXXXXX/SingletonSocket'.length

/** Makes the folder for this run of the server, in the data directory where browsers can reach it there, else in `/var/tmp`. */
export async function openBootFolder(options: BootFolderOptions): Promise<BootFolder> {
  const bootId = randomBytes(4).toString('hex')
  const open = async (): Promise<string> => {
    const runtimeDir = await openRuntimeDir(options)
    await mkdir(join(runtimeDir, bootId), { mode: 0o711 })
    return runtimeDir
  }
  // The janitor of an earlier run may have removed the empty folder just now.
  const runtimeDir = await open().catch(open)
  const path = join(runtimeDir, bootId)
  await chmod(path, options.isForOtherUids ? 0o711 : 0o700)
  writeLedger(path, serverLedger, process.pid)
  return {
    path,
    runtimeDir,
    addBrowser: async (id, uid, seen) => makeBrowserFolder(join(path, id), uid, seen),
    [Symbol.asyncDispose]: async () => {
      await removeFolder(path)
      // Another run of the server may still be there.
      await rmdir(runtimeDir).catch(() => undefined)
    },
  }
}

/** Removes a folder and tries again for a while: a browser that is about to die may still write. */
export async function removeFolder(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
}

/** Gives a folder and all in it to `uid`. Links are given away themselves, never what they point at. */
export async function giveTo(uid: number, path: string): Promise<void> {
  await lchown(path, uid, uid)
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  for (const entry of entries) await lchown(join(entry.parentPath, entry.name), uid, uid)
}

async function makeBrowserFolder(
  root: string,
  uid: number | undefined,
  seen: BrowserPaths | undefined,
): Promise<BrowserFolder> {
  const folder: BrowserPaths = {
    userDataDir: join(root, 'profile'),
    tmpDir: join(root, 'tmp'),
    downloadsDir: join(root, 'downloads'),
    uploadsDir: join(root, 'uploads'),
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
  return { ...folder, root, seen: seen ?? folder }
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
  const outside = `/var/tmp/bowline-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`
  await ensureOwnFolder(outside, isForOtherUids)
  return outside
}

/** Whether any uid may walk through to `path`. The last folder is opened for walking through when it is ours. */
async function canPass(path: string): Promise<boolean> {
  for (let each = dirname(path); ; each = dirname(each)) {
    const { mode } = await lstat(each)
    if ((mode & 0o001) === 0) return false
    if (each === dirname(each)) break
  }
  const { mode, uid } = await lstat(path)
  if ((mode & 0o001) !== 0) return true
  if (uid !== ownUid()) return false
  await chmod(path, (mode & 0o777) | 0o011)
  return true
}

/** Makes a folder, or makes sure that the one there is ours alone: everyone may put things into `/var/tmp`. */
async function ensureOwnFolder(path: string, isForOtherUids: boolean): Promise<void> {
  await mkdir(path, { mode: 0o711 }).catch((error: unknown) => {
    if (!Error.isError(error) || !('code' in error) || error.code !== 'EEXIST') throw error
  })
  const found = await lstat(path)
  const { mode, uid } = found
  if (!found.isDirectory() || uid !== ownUid() || (mode & 0o022) !== 0)
    throw new BowlineError(
      'CONFIG_INVALID',
      `${path} is not a folder that belongs to this user (${ownUid()}) alone (owner ${uid}, mode ${(mode & 0o777).toString(8)}).`,
      { hint: 'Remove it, or choose another `--data-dir`.' },
    )
  await chmod(path, isForOtherUids ? 0o711 : 0o700)
}

function ownUid(): number {
  return process.getuid?.() ?? 0
}
