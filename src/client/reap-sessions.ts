import { abortable } from '../kit/abort.ts'
import { deleteSessionIfThere } from './deletion.ts'
import type { SessionDeps } from './open-session.ts'
import { findOrphanedSessions, removeSessionMarker } from './session-markers.ts'

/**
 * Result of `sessions.reap()`: ids of sessions of dead processes.
 *
 * @example
 * ```ts
 * import { Bowline, type ReapReport } from 'bowline'
 *
 * const { deleted, failed }: ReapReport = await new Bowline().sessions.reap()
 * console.log(`${deleted.length} sessions of killed programs deleted`)
 * for (const { id, error } of failed) console.error(id, error)
 * ```
 */
export interface ReapReport {
  readonly deleted: readonly string[]
  readonly failed: readonly { readonly id: string; readonly error: unknown }[]
  /** Sessions of other services, which this client cannot delete. */
  readonly skipped: readonly string[]
}

/** Deletes the sessions of this service whose processes on this machine were killed. */
export async function reapSessions(
  { call, config }: SessionDeps,
  signal: AbortSignal | undefined,
): Promise<ReapReport> {
  const report = { deleted: [] as string[], failed: [] as { id: string; error: unknown }[], skipped: [] as string[] }
  for (const { path, marker } of await findOrphanedSessions(config.sessionDir)) {
    signal?.throwIfAborted()
    if (marker.baseUrl !== config.baseUrl) {
      report.skipped.push(marker.sessionId)
      continue
    }
    try {
      await abortable(deleteSessionIfThere(call, marker.sessionId, { hasFailed: marker.failed }), signal)
      removeSessionMarker(path)
      report.deleted.push(marker.sessionId)
    } catch (error) {
      signal?.throwIfAborted()
      report.failed.push({ id: marker.sessionId, error })
    }
  }
  return report
}
