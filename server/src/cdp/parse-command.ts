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
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null) return undefined
  const { id, method, params, sessionId } = value as Record<string, unknown>
  if (!Number.isSafeInteger(id) || typeof method !== 'string' || method === '') return undefined
  // As in Chromium, null and '' mean absent. Some serializers write them for missing fields.
  if (params !== undefined && typeof params !== 'object') return undefined
  // Error responses contain it.
  if (sessionId !== undefined && (typeof sessionId !== 'string' || sessionId.length > maxSessionIdLength))
    return undefined
  return {
    id: id as number,
    method,
    params: (params ?? undefined) as CdpCommand['params'],
    sessionId: sessionId === '' ? undefined : sessionId,
  }
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

/** Error of a text that is not a command, with its ids as far as they are known. */
export interface CommandFault {
  readonly id: number | undefined
  readonly sessionId: string | undefined
  /** `parse`: the text is not JSON. `request`: it is not a command. */
  readonly kind: 'parse' | 'request'
  readonly message: string
}

/** Describes why `parseCommand` returned `undefined`. */
export function describeFault(text: string): CommandFault {
  if (!isCostlyToParse(text)) {
    const value = parseJson(text)
    const message = hasMethod(value)
      ? 'Message must be a JSON object with an integer id, a method, and optional params and sessionId'
      : // The message of Chromium.
        "Message must have string 'method' property"
    return { id: idOf(value), sessionId: undefined, kind: value === undefined ? 'parse' : 'request', message }
  }
  const [, id] = idAtStart.exec(text.slice(0, 100)) ?? []
  const [, sessionId] = sessionIdAtEnd.exec(text.slice(-200)) ?? []
  const message = 'The parameters have too many or too deeply nested values: send fewer at once, or a JSON string'
  // Drivers write `id` first and `sessionId` last.
  return { id: id === undefined ? undefined : Number(id), sessionId, kind: 'parse', message }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    // Not JSON.
    return undefined
  }
}

/** Whether a value that is a command with an id also has a method. Chromium checks the id first. */
function hasMethod(value: unknown): boolean {
  if (idOf(value) === undefined) return true
  const { method } = value as { readonly method?: unknown }
  return typeof method === 'string' && method !== ''
}

function idOf(value: unknown): number | undefined {
  const id: unknown = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined
  return Number.isSafeInteger(id) ? (id as number) : undefined
}
