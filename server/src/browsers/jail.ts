import { access, constants, lstat, readdir, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { CommandLine } from './command-line.ts'
import { jailPaths, type BrowserFolder } from './folders.ts'
import { exportListener, lendingMounts } from './export-listener.ts'

/** A bubblewrap that works here. */
export interface Jail {
  /** Path of `bwrap`. */
  readonly path: string
  /** Mounts of the system, the same for every browser. */
  readonly mounts: readonly string[]
  /** Whether browsers are without a network, so that only what the server hands them leads out. */
  readonly isOffline: boolean
}

const bwrapPaths = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap']

// The folders of programs are left out. That is tidiness, not a boundary: a page that breaks out brings its own code,
// /usr/lib has programs of some packages, and a browser without a network is started by a shell that stays visible.
// /proc/self/mountinfo tells where on the machine the mounted folders lie, though not what is beside them.
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
  // Without it Chromium reads every font of the machine at each start.
  '/var/cache/fontconfig',
]

/** Where a browser that was not installed by the system lies inside. */
const programFolder = '/browser/program'

/** Finds bubblewrap and what Chromium needs of this machine. Undefined when there is no bubblewrap. */
export async function findJail(): Promise<Omit<Jail, 'isOffline'> | undefined> {
  for (const path of bwrapPaths) {
    try {
      await access(path, constants.X_OK)
      return { path, mounts: await systemMounts() }
    } catch {
      // Not there.
    }
  }
  return undefined
}

/** How a browser is put inside. */
export interface JailOptions {
  readonly folder: BrowserFolder
  /** Whether it lends the server a port of its network; see `lendPort`. */
  readonly isExporting: boolean
}

/** The command line that starts a browser inside, with only its own folder of all that the machine holds. */
export async function jailCommand(
  jail: Jail,
  command: CommandLine,
  { folder, isExporting }: JailOptions,
): Promise<CommandLine> {
  const program = await placeProgram(command.file)
  const placed = { file: program.path, args: command.args }
  const launched = isExporting ? exportListener(placed) : placed
  const args = [
    ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    jail.isOffline ? ['--unshare-net'] : [],
    ['--hostname', 'browser'],
    // It stands for `setpriv --pdeathsig`. No `--new-session`: the group has no terminal, and is killed as one.
    ['--die-with-parent'],
    jail.mounts,
    ['--proc', '/proc', '--dev', '/dev'],
    ['--bind', folder.userDataDir, jailPaths.userDataDir],
    ['--bind', folder.downloadsDir, jailPaths.downloadsDir],
    ['--ro-bind', folder.uploadsDir, jailPaths.uploadsDir],
    ['--bind', folder.tmpDir, jailPaths.tmpDir],
    program.mounts,
    isExporting ? lendingMounts() : [],
    ['--remount-ro', '/', '--chdir', '/', '--'],
    [launched.file, ...launched.args],
  ].flat()
  return { file: jail.path, args }
}

async function systemMounts(): Promise<readonly string[]> {
  const mounts = systemFolders.flatMap((path) => ['--ro-bind-try', path, path])
  for (const path of ['/lib', '/lib32', '/lib64', '/libx32']) {
    // Links into /usr on most systems, folders on a few.
    const target = await linkTarget(path)
    mounts.push(...(target === undefined ? ['--ro-bind-try', path, path] : ['--symlink', target, path]))
  }
  // Chromium reads the name of the time zone from where the link leads.
  const timeZone = await linkTarget('/etc/localtime')
  return timeZone === undefined ? mounts : [...mounts, '--symlink', timeZone, '/etc/localtime']
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined
  } catch {
    return undefined
  }
}

/** A browser outside the system's folders is brought in with the files around it, if they are its own. */
async function placeProgram(path: string): Promise<{ path: string; mounts: readonly string[] }> {
  // What is not there is bubblewrap's to report.
  const real = await realpath(path).catch(() => path)
  if (systemFolders.some((folder) => real.startsWith(`${folder}/`))) return { path: real, mounts: [] }
  const inside = join(programFolder, basename(real))
  const mounts = (await isOfBrowser(dirname(real)))
    ? ['--ro-bind', dirname(real), programFolder]
    : ['--ro-bind', real, inside]
  return { path: inside, mounts }
}

/** Whether a folder holds a browser: data beside the program, and nobody else's files. */
async function isOfBrowser(folder: string): Promise<boolean> {
  try {
    const isShared = ((await stat(folder)).mode & 0o002) !== 0
    return !isShared && (await readdir(folder)).some((name) => name.endsWith('.pak'))
  } catch {
    return false
  }
}
