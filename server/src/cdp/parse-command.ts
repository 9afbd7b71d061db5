import { parseJson } from 'bowline/kit/parse-json'
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
  if (value === undefined || faultOf(value) !== undefined) return undefined
  const { id, method, params, sessionId } = value as CdpCommand
  // As in Chromium, null and '' mean absent. Some serializers write them for missing fields.
  return { id, method, params: params ?? undefined, sessionId: sessionId === '' ? undefined : sessionId }
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
    const message = value === undefined ? 'Message must be valid JSON' : (faultOf(value) ?? '')
    return { id: idOf(value), sessionId: undefined, kind: value === undefined ? 'parse' : 'request', message }
  }
  const [, id] = idAtStart.exec(text.slice(0, 100)) ?? []
  const [, sessionId] = sessionIdAtEnd.exec(text.slice(-200)) ?? []
  const message = 'The parameters have too many or too deeply nested values: send fewer at once, or a JSON string'
  // Drivers write `id` first and `sessionId` last.
  return { id: id === undefined ? undefined : Number(id), sessionId, kind: 'parse', message }
}

const faults = {
  id: "Message must have integer 'id' property",
  method: "Message must have string 'method' property",
  sessionId: "Message may have string 'sessionId' property",
  params: "Message may have object 'params' property",
  other: "Message has property other than 'id', 'method', 'sessionId', 'params'",
} as const

/**
 * Describes why a value is no command, as Chromium does: it reads the properties in order, and its
 * strings are ASCII. Undefined if the value is a command.
 */
function faultOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'Message must be an object'
  for (const [key, each] of Object.entries(value)) {
    const name = isPropertyName(key) ? key : 'other'
    if (!isValid(name, each)) return faults[name]
  }
  if (!('id' in value)) return faults.id
  return 'method' in value && value.method !== '' ? undefined : faults.method
}

function isPropertyName(key: string): key is Exclude<keyof typeof faults, 'other'> {
  return key in faults && key !== 'other'
}

function isValid(name: keyof typeof faults, value: unknown): boolean {
  switch (name) {
    case 'id':
      return Number.isSafeInteger(value)
    case 'method':
      return isAscii(value)
    case 'sessionId':
      // Error responses contain it.
      return isAscii(value) && value.length <= maxSessionIdLength
    case 'params':
      return typeof value === 'object'
    case 'other':
      return false
    default:
      return name satisfies never
  }
}

function isAscii(value: unknown): value is string {
  return typeof value === 'string' && !/[\u0080-\uffff]/.test(value)
}

function idOf(value: unknown): number | undefined {
  const id: unknown = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined
  return Number.isSafeInteger(id) ? (id as number) : undefined
}
