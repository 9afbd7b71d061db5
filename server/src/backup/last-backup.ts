import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { writePrivate } from '../identity.ts'

/** Name of the file in the data directory that records the last backup. */
const fileName = 'last-backup.json'

const lastBackup = z.object({ at: z.iso.datetime(), location: z.string() })

/** Time and place of the last backup. */
export type LastBackup = z.output<typeof lastBackup>

/** Records a backup, if the data directory exists. It is only for the doctor, so it may fail. */
export async function recordLastBackup(dataDir: string, backup: LastBackup): Promise<void> {
  await writePrivate(join(dataDir, fileName), `${JSON.stringify(backup)}\n`).catch(() => undefined)
}

/** Returns the last backup of a data directory, or undefined. */
export async function readLastBackup(dataDir: string): Promise<LastBackup | undefined> {
  try {
    return lastBackup.parse(JSON.parse(await readFile(join(dataDir, fileName), 'utf8')))
  } catch {
    return undefined
  }
}
