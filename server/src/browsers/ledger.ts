import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { machineRun, readProcess } from './process-table.ts'

const LedgerEntry = z.object({
  pid: z.int().positive(),
  /** Empty on systems without `/proc`. Such an entry never leads to a kill. */
  startTicks: z.string(),
  machineRun: z.string(),
})

/** The process that owns a folder. */
export type LedgerEntry = z.output<typeof LedgerEntry>

/** Name of the ledger file in a browser's folder. */
export const browserLedger = 'browser.json'

/** Name of the ledger file of the virtual display in a browser's folder. */
export const displayLedger = 'display.json'

/** Name of the ledger file in the folder of a server run. */
export const serverLedger = 'server.json'

/** Records in `folder` which process owns it. Synchronous, so that no kill can come in between. */
export function writeLedger(folder: string, name: string, pid: number): LedgerEntry {
  const entry = { pid, startTicks: readProcess(pid)?.startTicks ?? '', machineRun: machineRun() }
  // On one line, because the janitor reads it with `sed`.
  writeFileSync(join(folder, name), `${JSON.stringify(entry)}\n`, { mode: 0o600 })
  return entry
}

/** Reads a ledger. Undefined if it is missing or incomplete. */
export function readLedger(folder: string, name: string): LedgerEntry | undefined {
  try {
    return LedgerEntry.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')))
  } catch {
    // The server was killed while it wrote the file, or another one has removed it.
    return undefined
  }
}
