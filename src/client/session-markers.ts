import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { isError } from '../kit/is-error.ts'

const markerSchema = z.object({
  baseUrl: z.string(),
  sessionId: z.string(),
  host: z.string(),
  pid: z.int(),
  /** Whether deleting the session from another process marks its work as failed. */
  failed: z.boolean().optional(),
  /** Start time of the process in a machine-specific unit, to detect reused pids. */
  processStart: z.string().optional(),
})

/**
 * Marker of a live session in a file, from which a later process finds the sessions of a process
 * that was killed. It contains no API key.
 */
export type SessionMarker = z.output<typeof markerSchema>

/** A session marker and the path of its file. */
export interface SessionMarkerFile {
  readonly path: string
  readonly marker: SessionMarker
}

/**
 * Writes the marker of a session of this process with mode 0600, and returns its path. Emits a
 * warning and returns `undefined` if that fails: `sessions.reap()` cannot find this session, but
 * the process guard and the reaper still delete it.
 */
export function tryWriteSessionMarker(
  sessionDir: string,
  session: Pick<SessionMarker, 'baseUrl' | 'sessionId' | 'failed'>,
): string | undefined {
  const { pid } = process
  const path = join(sessionDir, `${pid}-${encodeURIComponent(session.sessionId).slice(0, 150)}.json`)
  const marker: SessionMarker = { ...session, host: hostname(), pid, processStart: processStart(pid) }
  try {
    mkdirSync(sessionDir, { recursive: true, mode: 0o700 })
    writeFileSync(path, JSON.stringify(marker), { mode: 0o600 })
    return path
  } catch (error) {
    process.emitWarning(`Could not write the session marker: ${String(error)}`, { code: 'BOWLINE_SESSION_RECORD' })
    return undefined
  }
}

/** Removes the file of a session marker if it exists. */
export function removeSessionMarker(path: string): void {
  return rmSync(path, { force: true })
}

/**
 * Returns the session markers of processes of this machine that no longer run. Ignores all other
 * files.
 */
export async function findOrphanedSessions(sessionDir: string): Promise<readonly SessionMarkerFile[]> {
  // Without the folder, there are no markers.
  const names = await readdir(sessionDir).catch(() => [])
  const files = await Promise.all(
    names.filter((name) => name.endsWith('.json')).map((name) => readSessionMarker(sessionDir, name)),
  )
  return files.filter(
    (file) => file !== undefined && file.marker.host === hostname() && !isAlive(file.marker),
  ) as SessionMarkerFile[]
}

async function readSessionMarker(sessionDir: string, name: string): Promise<SessionMarkerFile | undefined> {
  const path = join(sessionDir, name)
  try {
    return { path, marker: markerSchema.parse(JSON.parse(await readFile(path, 'utf8'))) }
  } catch {
    // Another process has removed the marker, or it is incomplete.
    return undefined
  }
}

function isAlive(marker: SessionMarker): boolean {
  try {
    process.kill(marker.pid, 0)
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    if (!(isError(error) && 'code' in error && error.code === 'EPERM')) return false
  }
  return marker.processStart === undefined || marker.processStart === processStart(marker.pid)
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
    // The process has ended, or the system has no `/proc`.
    return undefined
  }
}
