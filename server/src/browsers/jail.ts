import { access, constants, lstat, readdir, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { CommandLine } from './command-line.ts'
import { jailPaths, type BrowserFolder } from './folders.ts'
import { exportListener, exportMounts } from './export-listener.ts'

/** A working bubblewrap. */
export interface Jail {
  /** Path of `bwrap`. */
  readonly path: string
  /** Mounts of system folders, the same for every browser. */
  readonly mounts: readonly string[]
  /**
   * Whether browsers have no network, so that only the exported listener connects them to the
   * outside.
   */
  readonly hasOwnNetwork: boolean
}

const bwrapPaths = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap']

// Program folders are left out for tidiness, not security: a page that escapes its renderer brings
// its own code, /usr/lib has programs of some packages, and a browser without a network is started
// by a shell that stays visible. /proc/self/mountinfo reveals where the mounted folders are on the
// machine, but not what is next to them.
const systemFolders = [
  '/usr/lib',
  '/usr/lib32',
  '/usr/lib64',
  '/usr/libx32',
  '/usr/share',
  '/usr/local/lib',
  '/usr/local/share/fonts',
  '/nix/store',
  '/etc/fonts',
  '/etc/ssl/certs',
  '/etc/ld.so.cache',
  // Without it, Chromium reads every font of the machine at each start.
  '/var/cache/fontconfig',
]

/** Path inside bubblewrap of a browser that is not in the system folders. */
const programFolder = '/browser/program'

/**
 * Finds bubblewrap and the system folders Chromium needs. Undefined if bubblewrap is not installed.
 */
export async function findJail(): Promise<Omit<Jail, 'hasOwnNetwork'> | undefined> {
  for (const path of bwrapPaths) {
    try {
      await access(path, constants.X_OK)
      return { path, mounts: await systemMounts() }
    } catch {
      // Nothing exists at the path.
      // Not installed here.
    }
  }
  return undefined
}

/** Options of `jailCommand`. */
export interface JailOptions {
  readonly folder: BrowserFolder
  /** Whether the browser exports a listening socket; see `exportListener`. */
  readonly isExporting: boolean
  /** Further bubblewrap arguments. Default: none. */
  readonly mounts?: readonly string[] | undefined
}

/**
 * The command line that starts a browser inside bubblewrap, where it sees only its own folder and
 * system folders.
 */
export async function jailCommand(
  jail: Jail,
  command: CommandLine,
  { folder, isExporting, mounts = [] }: JailOptions,
): Promise<CommandLine> {
  const program = await mountProgram(command.file)
  const mounted = { file: program.path, args: command.args }
  const launched = isExporting ? exportListener(mounted) : mounted
  const args = [
    ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    jail.hasOwnNetwork ? ['--unshare-net'] : [],
    ['--hostname', 'browser'],
    // Replaces `setpriv --pdeathsig`. No `--new-session`: the process group has no terminal and is
    // killed as a whole.
    ['--die-with-parent'],
    jail.mounts,
    ['--proc', '/proc', '--dev', '/dev'],
    ['--bind', folder.userDataDir, jailPaths.userDataDir],
    ['--bind', folder.downloadsDir, jailPaths.downloadsDir],
    ['--ro-bind', folder.uploadsDir, jailPaths.uploadsDir],
    ['--bind', folder.tmpDir, jailPaths.tmpDir],
    program.mounts,
    mounts,
    isExporting ? exportMounts() : [],
    ['--remount-ro', '/', '--chdir', '/', '--'],
    [launched.file, ...launched.args],
  ].flat()
  return { file: jail.path, args }
}

async function systemMounts(): Promise<readonly string[]> {
  const mounts = systemFolders.flatMap((path) => ['--ro-bind-try', path, path])
  for (const path of ['/lib', '/lib32', '/lib64', '/libx32']) {
    // Symlinks into /usr on most systems, folders on a few.
    const target = await linkTarget(path)
    mounts.push(...(target === undefined ? ['--ro-bind-try', path, path] : ['--symlink', target, path]))
  }
  // Chromium reads the time zone's name from the target of the link.
  const timeZone = await linkTarget('/etc/localtime')
  return timeZone === undefined ? mounts : [...mounts, '--symlink', timeZone, '/etc/localtime']
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined
  } catch {
    // Nothing exists at the path.
    return undefined
  }
}

/** Mounts a browser outside the system folders, with the files next to it if they belong to it. */
async function mountProgram(path: string): Promise<{ path: string; mounts: readonly string[] }> {
  // bubblewrap reports a missing file.
  const real = await realpath(path).catch(() => path)
  if (systemFolders.some((folder) => real.startsWith(`${folder}/`))) return { path: real, mounts: [] }
  const inside = join(programFolder, basename(real))
  const mounts = (await isOfBrowser(dirname(real)))
    ? ['--ro-bind', dirname(real), programFolder]
    : ['--ro-bind', real, inside]
  return { path: inside, mounts }
}

/** Whether a folder belongs to a browser: it has data files and other users cannot write to it. */
async function isOfBrowser(folder: string): Promise<boolean> {
  try {
    const isShared = ((await stat(folder)).mode & 0o002) !== 0
    return !isShared && (await readdir(folder)).some((name) => name.endsWith('.pak'))
  } catch {
    // The folder cannot be listed.
    return false
  }
}
