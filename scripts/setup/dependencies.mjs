import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { runQuietly } from './run-quietly.mjs'

/** Installs the packages of the lock file when node_modules does not hold them already. */
export async function ensureDependencies(root) {
  if (isInstalled(root)) return
  console.error('bowline: installing the dependencies of package-lock.json (once; it takes a minute or so) …')
  const [command, ...args] = npmCommand()
  await runQuietly(command, [...args, 'ci', '--no-audit', '--no-fund'], { cwd: root })
}

/** Whether npm's own record of node_modules agrees with the lock file. Times of files say nothing after a checkout. */
export function isInstalled(root) {
  const wanted = readPackages(join(root, 'package-lock.json'))
  const present = readPackages(join(root, 'node_modules/.package-lock.json'))
  if (wanted === undefined || present === undefined) return false
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || (present[path] === undefined && isOptional(entry))) return true
    return present[path]?.version === entry.version
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

/** The npm that started us, so that its configuration holds; otherwise the one on PATH. */
export function npmCommand() {
  const started = process.env.npm_execpath
  return started !== undefined && basename(started) === 'npm-cli.js' ? [process.execPath, started] : ['npm']
}
