import { execFileSync } from 'node:child_process'
import { accessSync, constants, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { runQuietly } from './run-quietly.mjs'

const lockTries = 60
const lockPauseMs = 5000
const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }

/** Whether packages can be installed without asking anybody: apt-get is here, and we are root. */
export function canInstall() {
  return hasApt() && process.getuid?.() === 0
}

/** Whether this system has apt-get. */
export function hasApt() {
  try {
    accessSync('/usr/bin/apt-get', constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The command a user types to install `packages` on such a system. */
export function installLine(packages) {
  return `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages.join(' ')}`
}

/** Installs packages as root; fetches the package lists when they are missing or too old to serve. */
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

/** Whether the package lists know an installable package of this name. Fetches the lists when there are none. */
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

/** apt-get waits for dpkg's lock by itself, but not for that of the lists: both may be held by an upgrade at boot. */
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
