import type { CdpCommand } from './message.ts'
import { isCostlyToParse } from './parsing-cost.ts'
import { firstReservedId } from './router.ts'

/** Chromium's ids have 32 characters. */
const maxSessionIdLength = 100

/**
 * Parses a command from JSON. Returns `undefined` if it is malformed, or so large that parsing it
 * would block the server.
 */
export function parseCommand(text: unknown): CdpCommand | undefined {
  if (typeof text !== 'string' || isCostlyToParse(text)) return undefined
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
  // Error responses contain it.
  if (sessionId !== undefined && (typeof sessionId !== 'string' || sessionId.length > maxSessionIdLength))
    return undefined
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

const idAtStart = /^\s*\{\s*"id"\s*:\s*(-?\d{1,10})\s*,/
const sessionIdAtEnd = /"sessionId"\s*:\s*"([\w-]{1,64})"\s*\}\s*$/

/** Error of a text that is not parsed, with the ids that drivers write at its start and its end. */
export interface CommandFault {
  readonly id: number | undefined
  readonly sessionId: string | undefined
  readonly message: string
}

/** Describes why `parseCommand` returned `undefined`. */
export function describeFault(text: string): CommandFault {
  if (!isCostlyToParse(text)) {
    const message = 'Message must be a JSON object with an integer id and a method'
    return { id: undefined, sessionId: undefined, message }
  }
  const [, id] = idAtStart.exec(text.slice(0, 100)) ?? []
  const [, sessionId] = sessionIdAtEnd.exec(text.slice(-200)) ?? []
  const message = 'The parameters have too many or too deeply nested values: send fewer at once, or a JSON string'
  return { id: id === undefined ? undefined : Number(id), sessionId, message }
}
