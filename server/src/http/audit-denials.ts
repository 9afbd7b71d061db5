import type { AuditLog } from '../audit/audit-log.ts'
import { EntryLimit } from '../audit/entry-limit.ts'
import type { RequestOrigin } from './request-origin.ts'

/** A request that its key or token does not allow. */
export interface Denial {
  readonly from: RequestOrigin
  /** Its valid key. `undefined`: it has a token, or none is needed. */
  readonly keyId: string | undefined
  readonly method: string
  /** Pattern of its path, without ids and tokens. */
  readonly route: string
}

/** Records a denial. */
export type DenialLog = (denial: Denial) => void

/**
 * Records requests that were refused with FORBIDDEN: the first of a key or address at once, then
 * one entry a minute with their number.
 */
export function createDenialLog(audit: Pick<AuditLog, 'record'>): DenialLog {
  const limit = new EntryLimit()
  return ({ from: { address, requestId }, keyId, method, route }) => {
    const counts = limit.admit(keyId ?? address ?? '', performance.now())
    if (counts === undefined) return
    const { count: denials, ...others } = counts
    void audit.record({
      action: 'access.denied',
      message: 'Access denied',
      by: { keyId, address, requestId },
      details: { method, route, denials, ...others },
    })
  }
}
