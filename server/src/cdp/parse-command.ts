import type { CdpCommand } from './message.ts'
import { firstReservedId } from './router.ts'

/** Parses a command from JSON. Returns `undefined` if it is malformed. */
export function parseCommand(text: unknown): CdpCommand | undefined {
  if (typeof text !== 'string') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Not JSON.
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { id, method, params, sessionId } = value as Record<string, unknown>
  if (!Number.isSafeInteger(id) || typeof method !== 'string') return undefined
  if (params !== undefined && (typeof params !== 'object' || params === null)) return undefined
  if (sessionId !== undefined && typeof sessionId !== 'string') return undefined
  return { id: id as number, method, params: params as CdpCommand['params'], sessionId }
}

/**
 * Whether a command id is valid. Chromium responds without an id to one outside 32 bits, and the
 * client would wait forever. Ids above the limit are used by the server itself. `parseCommand`
 * accepts larger ids, so that the error can contain the id.
 */
export function isValidId(id: number): boolean {
  return id >= -(2 ** 31) && id < firstReservedId
}
