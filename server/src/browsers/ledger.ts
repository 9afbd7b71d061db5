import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { machineRun, readProcess } from './process-table.ts'

const LedgerEntry = z.object({
  pid: z.int().positive(),
  /** Empty on systems without `/proc`: nothing is killed by such an entry. */
  startTicks: z.string(),
  machineRun: z.string(),
})

/** Which process a folder belongs to. */
export type LedgerEntry = z.output<typeof LedgerEntry>

/** Name of the ledger in a browser's folder. */
export const browserLedger = 'browser.json'

/** Name of the ledger in the folder of a run of the server. */
export const serverLedger = 'server.json'

/** Notes in `folder` that it belongs to a process of this machine. Not asynchronous: no kill may come in between. */
export function writeLedger(folder: string, name: string, pid: number): LedgerEntry {
  const entry = { pid, startTicks: readProcess(pid)?.startTicks ?? '', machineRun: machineRun() }
  // One line, because the janitor reads it with `sed`.
  writeFileSync(join(folder, name), `${JSON.stringify(entry)}\n`, { mode: 0o600 })
  return entry
}

/** Reads a ledger. Undefined when it is missing or torn. */
export function readLedger(folder: string, name: string): LedgerEntry | undefined {
  try {
    return LedgerEntry.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')))
  } catch {
    return undefined
  }
}
