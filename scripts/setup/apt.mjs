import { execFileSync } from 'node:child_process'
import { accessSync, constants, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { runQuietly } from './run-quietly.mjs'

const lockTries = 60
const lockPauseMs = 5000
const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }

/**
 * Returns whether packages can be installed without a password: apt-get exists and the user is
 * root.
 */
export function canInstall() {
  return hasApt() && process.getuid?.() === 0
}

/** Returns whether this system has apt-get. */
export function hasApt() {
  try {
    accessSync('/usr/bin/apt-get', constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Returns the command that installs `packages` with apt-get. */
export function installLine(packages) {
  return `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages.join(' ')}`
}

/** Installs packages as root. Updates the package lists if they are missing or outdated. */
export async function installPackages(packages) {
  console.error(`bowline: installing with apt-get: ${packages.join(' ')} …`)
  if (!hasLists()) await aptGet(['update'])
  try {
    await aptGet(['install', ...packages])
  } catch {
    await aptGet(['update'])
    await aptGet(['install', ...packages])
  }
}

/** Returns whether a package can be installed. Updates the package lists if they are missing. */
export async function isKnownPackage(name) {
  if (!hasLists()) await aptGet(['update'])
  try {
    const policy = execFileSync('apt-cache', ['policy', name], { env: environment, encoding: 'utf8' })
    return /Candidate: (?!\(none\))/.test(policy)
  } catch {
    return false
  }
}

function hasLists() {
  try {
    return readdirSync('/var/lib/apt/lists').some((name) => /_Packages(\.\w+)?$/.test(name))
  } catch {
    return false
  }
}

/**
 * Runs apt-get and retries while another process locks the package lists, such as an upgrade at
 * boot. apt-get itself waits only for the lock of dpkg.
 */
async function aptGet(args) {
  const options = ['-y', '-q', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300']
  for (let tries = 1; ; tries++) {
    try {
      return await runQuietly('apt-get', [...options, ...args], { env: environment })
    } catch (error) {
      if (tries === lockTries || !/Could not get lock|Unable to lock/.test(error.message)) throw error
      if (tries === 1) console.error('bowline: waiting for another apt-get to finish …')
      await sleep(lockPauseMs)
    }
  }
}
