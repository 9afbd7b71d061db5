import { existsSync, globSync, lstatSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { repository } from './source-tree.ts'

/** Makes npm quiet, and lets it use its cache: it has the packages of the repository. */
export const npmSettings = {
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_prefer_offline: 'true',
  npm_config_omit: 'optional',
  npm_config_loglevel: 'error',
}

/** The part of npm's lock file that the tests read. */
export interface Lock {
  readonly packages: Readonly<Record<string, { readonly resolved?: string }>>
}

/** Reads what npm has installed into a project. */
export async function readLock(path: string): Promise<Lock> {
  return JSON.parse(await readFile(join(path, 'node_modules/.package-lock.json'), 'utf8')) as Lock
}

/** Creates a project without packages. */
export async function makeProject(path: string): Promise<void> {
  await mkdir(path)
  await writeFile(join(path, 'package.json'), JSON.stringify({ name: 'project', version: '1.0.0' }))
}

/** The packages that npm installed into a project, and the size of their files in bytes. */
export async function measure(path: string): Promise<{ readonly packages: number; readonly megabytes: number }> {
  const folders = Object.keys((await readLock(path)).packages)
  const bytes = folders
    .flatMap((name) => globSync('**/*', { cwd: join(path, name), withFileTypes: true, exclude: ['node_modules'] }))
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0)
  return { packages: folders.length, megabytes: bytes / 1e6 }
}

/** Lets a project use packages of the repository, as if it had installed them. */
export async function linkPackages(path: string, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const target = join(path, 'node_modules', name)
    if (existsSync(target)) continue
    await mkdir(dirname(target), { recursive: true })
    await symlink(join(repository, 'node_modules', name), target)
  }
}

/**
 * Creates an empty folder in `parent`, with the repository next to it, as the documentation
 * assumes.
 */
export async function makeEmptyFolder(parent: string): Promise<string> {
  const project = join(parent, 'project')
  await mkdir(project, { recursive: true })
  await symlink(repository, join(parent, 'bowline'))
  return project
}
