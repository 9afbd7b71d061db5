import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { runQuietly } from './run-quietly.mjs'

/** Installs the packages of the lock file unless node_modules is up to date. */
export async function ensureDependencies(root) {
  if (isInstalled(root)) return
  console.error('bowline: installing dependencies (once; takes one to three minutes) …')
  const [command, ...args] = npmCommand()
  await runQuietly(command, [...args, 'ci', '--no-audit', '--no-fund'], { cwd: root })
}

/**
 * Returns whether npm's record of node_modules matches the lock file. File times are not reliable
 * after a checkout.
 */
export function isInstalled(root) {
  const locked = readPackages(join(root, 'package-lock.json'))
  const installed = readPackages(join(root, 'node_modules/.package-lock.json'))
  if (locked === undefined || installed === undefined) return false
  return Object.entries(locked).every(([path, entry]) => {
    if (path === '' || (installed[path] === undefined && isOptional(entry))) return true
    return installed[path]?.version === entry.version
  })
}

function isOptional(entry) {
  return entry.optional === true || entry.devOptional === true || entry.peer === true
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages
  } catch {
    return undefined
  }
}

/** Returns the npm that started this process, to use its configuration, or the one on PATH. */
export function npmCommand() {
  const npmPath = process.env.npm_execpath
  return npmPath !== undefined && basename(npmPath) === 'npm-cli.js' ? [process.execPath, npmPath] : ['npm']
}
