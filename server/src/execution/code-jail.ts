import { lstatSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { CommandLine } from '../browsers/command-line.ts'
import { exportListener, exportMounts, jailProxyPort } from '../browsers/export-listener.ts'
import { jailPaths, type BrowserFolder } from '../browsers/folders.ts'
import type { Jail } from '../browsers/jail.ts'
import type { CodeFolder } from './code-folder.ts'
import { interpreterLimits } from './limits.ts'

/** Port on which code in a jail reaches the CDP of its session. It is the jail's own. */
export const jailCdpPort = 9222

/** Ports of the jail's own network that lead to the server. */
export const jailPorts = [jailProxyPort, jailCdpPort] as const

/** Paths that code in a jail sees. */
export const codePaths = {
  home: '/session',
  node: '/bowline/bin/node',
  playwright: '/bowline/node_modules/playwright-core',
} as const

/** Options of `jailCode`. */
export interface CodeJailOptions {
  readonly folder: CodeFolder
  /** The session's browser, whose downloads and uploads the code can read. */
  readonly browserFolder: BrowserFolder
  /** Folder of the package playwright-core. Default: none. */
  readonly playwrightFolder: string | undefined
}

const { memory, file } = {
  memory: interpreterLimits.processMemoryBytes / 1024,
  // Blocks of 512 bytes.
  file: interpreterLimits.fileBytes / 512,
}

// The number of processes is `-u` in bash and `-p` in other shells.
const limitsScript = `ulimit -c 0; ulimit -f ${file}; ulimit -d ${memory}; ulimit -n ${interpreterLimits.openFiles}
if (ulimit -u ${interpreterLimits.threads}) 2>/dev/null; then ulimit -u ${interpreterLimits.threads}
else ulimit -p ${interpreterLimits.threads}; fi
exec "$@"`

// When the machine runs out of memory, the kernel ends code before browsers and the server. In the
// jail /proc is read-only, so that code cannot undo it.
const sacrificeScript = `{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null; exec "$@"`

const programFolders = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/etc/alternatives']

/** Wraps the command line of an interpreter in the limits of each of its processes. */
export function limitProcesses({ file: program, args }: CommandLine): CommandLine {
  return { file: '/bin/sh', args: ['-c', limitsScript, 'bowline-limits', program, ...args] }
}

/**
 * The command line that runs an interpreter inside bubblewrap: with the programs and libraries of
 * the system read-only, its own folders, and a network in which only the exported ports lead
 * outside.
 */
export function jailCode(jail: Jail, command: CommandLine, options: CodeJailOptions): CommandLine {
  const { folder, browserFolder, playwrightFolder } = options
  const launched = exportListener(limitProcesses(command), jailPorts)
  const args = [
    ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net', '--unshare-cgroup-try'],
    ['--hostname', 'session', '--die-with-parent'],
    jail.mounts,
    programFolders.flatMap((path) => ['--ro-bind-try', path, path]),
    isLink('/bin') ? ['--symlink', 'usr/bin', '/bin'] : ['--ro-bind', '/bin', '/bin'],
    ['--ro-bind', folder.etc, '/etc/own'],
    ['passwd', 'group', 'hosts'].flatMap((name) => ['--symlink', `own/${name}`, `/etc/${name}`]),
    ['--proc', '/proc', '--dev', '/dev', '--bind', folder.sharedMemory, '/dev/shm'],
    ['--remount-ro', '/dev', '--remount-ro', '/proc'],
    ['--bind', folder.home, codePaths.home, '--bind', folder.tmp, '/tmp'],
    ['--ro-bind', browserFolder.downloadsDir, jailPaths.downloadsDir],
    ['--ro-bind', browserFolder.uploadsDir, jailPaths.uploadsDir],
    ['--ro-bind', process.execPath, codePaths.node],
    ['--ro-bind', folder.nodeProgram, nodeProgramIn(folder)],
    playwrightFolder === undefined ? [] : ['--ro-bind', playwrightFolder, codePaths.playwright],
    exportMounts(),
    ['--remount-ro', '/', '--chdir', codePaths.home, '--'],
    [launched.file, ...launched.args],
  ].flat()
  return { file: '/bin/sh', args: ['-c', sacrificeScript, 'bowline-code', jail.path, ...args] }
}

/** Path of the Node.js program inside the jail. */
export function nodeProgramIn({ nodeProgram }: CodeFolder): string {
  return `${dirname(codePaths.node)}/${basename(nodeProgram)}`
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}
