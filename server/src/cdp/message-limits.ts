import { BowlineError } from 'bowline/kit/errors'
import { cdpSessionIdAtTail } from './message.ts'

/**
 * Maximum size of a message of the browser in bytes. Playwright and Puppeteer close the connection
 * when they receive a larger one.
 */
export const maxMessageBytes = 256 * 1024 * 1024

/**
 * Maximum size of a message that Chromium reads from its pipe, in bytes, including the zero byte at
 * the end. After a larger message it stops reading without reporting an error.
 */
export const maxCommandBytes = 100 * 1024 * 1024

/** Whether a message is too large for Chromium to read. */
export function isTooLargeForBrowser(message: string): boolean {
  // A UTF-16 code unit takes up to three bytes in UTF-8.
  return message.length * 3 >= maxCommandBytes && Buffer.byteLength(message) >= maxCommandBytes
}

/**
 * Maximum size of results of the server's own calls, in bytes. The router subtracts each result, so
 * one object limits the sum of several calls.
 */
export interface ResultBudget {
  bytes: number
}

/** A result that was larger than its limit and therefore was not read. */
export class OversizedResult extends BowlineError {
  constructor(method: string, bytes: number, maxBytes: number) {
    super('CDP_FAILED', `${method}: the result is ${inMb(bytes)}, and the limit is ${inMb(maxBytes)}`)
  }
}

/** Parsing 4 MB takes 15 ms, or 250 ms if they are tiny objects. */
const maxResultBytes = 4_000_000

/**
 * Parsing one string of 128 MB takes half a second. It has at least 20 million letters, each of
 * which takes up to six bytes.
 */
const maxTextResultBytes = 128_000_000

const maxEventBytes = 4_000_000
const maxLargeEventBytes = 16_000_000

/**
 * Methods whose results are one long string, or which list things that Chromium limits. With
 * `returnByValue` a page determines the structure of the result, and many small objects take much
 * longer to parse than one string.
 */
const textMethods: ReadonlySet<string> = new Set([
  'Fetch.getResponseBody',
  'Network.getCookies',
  'Network.getResponseBody',
  'Page.captureScreenshot',
  'Page.getFrameTree',
  'Page.getResourceContent',
  'Page.printToPDF',
  'Runtime.evaluate',
  'Storage.getCookies',
  'Target.getTargets',
])

/** Returns the maximum size of the result of a call, in bytes. */
export function resultLimit(method: string, params: { readonly returnByValue?: unknown }): number {
  return textMethods.has(method) && params.returnByValue !== true ? maxTextResultBytes : maxResultBytes
}

const responseStart = /^{"id":(\d+)[,}]/

/** Reads the command id from the first bytes of a message. Undefined if it is not a response. */
export function responseId(message: Buffer): number | undefined {
  const [, id] = responseStart.exec(message.toString('latin1', 0, 24)) ?? []
  return id === undefined ? undefined : Number(id)
}

/**
 * Whether an event is too large to be parsed. Throws if it is about a page or a frame: pages cannot
 * cause that, and the server must not miss which of them exist. The title of a worker is a name
 * that its page chooses. `bytes`: size of the event, if only its start is given.
 */
export function isOversizedEvent(message: Buffer, bytes: number = message.length): boolean {
  if (bytes <= maxEventBytes) return false
  const start = message.toString('latin1', 0, 200)
  if (bytes <= maxLargeEventBytes && largeEvents.test(start)) return false
  if (targetEvents.test(start) && !workerEvents.test(start))
    throw new Error(`an event of ${inMb(bytes)} about a target`)
  return true
}

const largeEvents = /^{"method":"(?:Target\.|Page\.screencastFrame"|Fetch\.requestPaused")/
const targetEvents = /^{"method":"Target\.(?!receivedMessageFromTarget")/
const workerEvents =
  /^{"method":"Target\.\w+","params":{(?:"sessionId":"\w+",)?"targetInfo":{"targetId":"\w+","type":"\w*worker"/

/**
 * Returns what is received in place of a message over `maxMessageBytes`: an error response, or
 * nothing for an event. `start` and `end` are its first and last bytes. Throws as
 * `isOversizedEvent`.
 */
export function replaceOversized(start: Buffer, end: Buffer, bytes: number): Buffer | undefined {
  const id = responseId(start)
  if (id === undefined) {
    isOversizedEvent(start, bytes)
    return undefined
  }
  const message = `The result is ${inMb(bytes)}, and the limit is ${inMb(maxMessageBytes)}`
  return Buffer.from(JSON.stringify({ id, error: { code: -32_000, message }, sessionId: cdpSessionIdAtTail(end) }))
}

function inMb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1).replace(/\.0$/, '')} MB`
}
