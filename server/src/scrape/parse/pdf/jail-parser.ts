import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Jail } from '../../../browsers/jail.ts'

const nodePath = '/bowline/bin/node'

/** Options of `jailParser`. */
export interface ParserJailOptions {
  /** Program of the parser process. */
  readonly script: string
  /** Folders that it reads in addition to its packages. */
  readonly folders: readonly string[]
}

/**
 * The command line that runs a program of the server with Node.js inside bubblewrap: without a
 * network, and with no files but libraries, its packages and `folders`, all read-only. A hostile
 * file that takes over the native parser gains nothing there.
 */
export function jailParser(jail: Jail, args: readonly string[], options: ParserJailOptions): readonly string[] {
  const { script, folders } = options
  const readable = new Set([...packageFolders(script), ...folders])
  return [
    ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net', '--unshare-cgroup-try'],
    ['--hostname', 'parser', '--die-with-parent'],
    jail.mounts,
    ['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    ['--ro-bind', process.execPath, nodePath],
    [...readable].flatMap((path) => ['--ro-bind-try', path, path]),
    ['--remount-ro', '/', '--chdir', '/', '--', nodePath, script, ...args],
  ].flat()
}

const packages = ['bowline/kit/errors', '@llamaindex/liteparse', 'unpdf'] as const

/** Folders with the program and the packages that it imports. */
function packageFolders(script: string): readonly string[] {
  const found = packages.flatMap((name) => {
    try {
      return fileURLToPath(import.meta.resolve(name))
    } catch {
      // An optional package is not installed.
      return []
    }
  })
  return [script, ...found].flatMap((path) => [path, realpathSync(path)]).map(installFolderOf)
}

/** The outermost `node_modules` that contains a file, else the folder of its package. */
function installFolderOf(path: string): string {
  const installed = /^.*?\/node_modules(?=\/)/.exec(path)?.[0]
  if (installed !== undefined) return installed
  let folder = dirname(path)
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === '/') return dirname(path)
    folder = dirname(folder)
  }
  return folder
}
