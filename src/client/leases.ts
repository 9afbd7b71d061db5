import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { isError } from '../kit/is-error.ts'

const leaseSchema = z.object({
  baseUrl: z.string(),
  sessionId: z.string(),
  host: z.string(),
  pid: z.int(),
  /** Start time of the process in a machine-specific unit, to detect reused pids. */
  processStart: z.string().optional(),
})

/**
 * Contents of a lease file. There is one per live session, so that a later process can delete the
 * sessions of one that was killed. It contains no API key.
 */
export type Lease = z.output<typeof leaseSchema>

/** A lease and the path of its file. */
export interface LeaseFile {
  readonly path: string
  readonly lease: Lease
}

/** Writes the lease of a session of this process with mode 0600, and returns its path. */
export function writeLease(leaseDir: string, session: Pick<Lease, 'baseUrl' | 'sessionId'>): string {
  const lease: Lease = { ...session, host: hostname(), pid: process.pid, processStart: processStart(process.pid) }
  const path = join(leaseDir, `${process.pid}-${encodeURIComponent(session.sessionId).slice(0, 150)}.json`)
  mkdirSync(leaseDir, { recursive: true, mode: 0o700 })
  writeFileSync(path, JSON.stringify(lease), { mode: 0o600 })
  return path
}

/** Removes a lease file if it exists. */
export function removeLease(path: string): void {
  return rmSync(path, { force: true })
}

/**
 * Returns the leases of processes of this machine that no longer run. Ignores files that are not
 * leases.
 */
export async function findDeadLeases(leaseDir: string): Promise<readonly LeaseFile[]> {
  const names = await readdir(leaseDir).catch(() => [])
  const files = await Promise.all(
    names.filter((name) => name.endsWith('.json')).map((name) => readLease(leaseDir, name)),
  )
  return files.filter(
    (file) => file !== undefined && file.lease.host === hostname() && !isAlive(file.lease),
  ) as LeaseFile[]
}

async function readLease(leaseDir: string, name: string): Promise<LeaseFile | undefined> {
  const path = join(leaseDir, name)
  try {
    return { path, lease: leaseSchema.parse(JSON.parse(await readFile(path, 'utf8'))) }
  } catch {
    return undefined
  }
}

function isAlive(lease: Lease): boolean {
  try {
    process.kill(lease.pid, 0)
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    if (!(isError(error) && 'code' in error && error.code === 'EPERM')) return false
  }
  return lease.processStart === undefined || lease.processStart === processStart(lease.pid)
}

/**
 * Returns the boot id and the start time of a process in clock ticks, or `undefined` without /proc.
 */
function processStart(pid: number): string | undefined {
  try {
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program name in parentheses, which may contain spaces. Field 22 is
    // the start time.
    return `${bootId}/${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`
  } catch {
    return undefined
  }
}
