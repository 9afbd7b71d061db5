import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFolder } from './folders.ts'
import { browserLedger, displayLedger, readLedger, serverLedger } from './ledger.ts'
import { groupMembers, isRunning, killGroup, machineRun } from './process-table.ts'

/** Result of a sweep. */
export interface SweepReport {
  /** Browsers of previous runs that were still running and were killed. */
  readonly browsersKilled: number
  /** Folders of previous runs that were removed. */
  readonly foldersRemoved: number
}

/**
 * Kills the browsers of previous server runs and removes their folders. Skips runs that are still
 * alive. The caller must hold the lock of the data directory, because a run in another pid
 * namespace looks dead.
 */
export async function sweepLeftovers(runtimeDir: string, currentBootPath: string): Promise<SweepReport> {
  let browsersKilled = 0
  let foldersRemoved = 0
  for (const entry of await readdir(runtimeDir, { withFileTypes: true })) {
    const boot = join(runtimeDir, entry.name)
    if (!entry.isDirectory() || boot === currentBootPath || isServerAlive(boot)) continue
    for (const browser of await readdir(boot, { withFileTypes: true })) {
      if (browser.isDirectory() && killLeftover(join(boot, browser.name))) browsersKilled++
    }
    await removeFolder(boot)
    foldersRemoved++
  }
  return { browsersKilled, foldersRemoved }
}

function isServerAlive(boot: string): boolean {
  const server = readLedger(boot, serverLedger)
  return server !== undefined && server.machineRun === machineRun() && isRunning(server.pid, server.startTicks)
}

/** Kills a browser and its display. Returns whether the browser was alive. */
function killLeftover(folder: string): boolean {
  killRecorded(folder, displayLedger)
  return killRecorded(folder, browserLedger)
}

function killRecorded(folder: string, ledger: string): boolean {
  const browser = readLedger(folder, ledger)
  if (browser === undefined || browser.machineRun !== machineRun()) return false
  if (!isRunning(browser.pid, browser.startTicks)) return false
  const wasAlive = groupMembers(browser.pid).length > 0
  killGroup(browser.pid)
  return wasAlive
}
