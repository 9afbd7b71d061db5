import { BowlineError } from 'bowline/kit/errors'

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
 * Whether an event is too large to be read. Throws if it is one of the Target domain: pages cannot
 * cause that, and the server must not miss which targets exist.
 */
export function isOversizedEvent(message: Buffer): boolean {
  if (message.length <= maxEventBytes) return false
  const start = message.toString('latin1', 0, 40)
  if (message.length <= maxLargeEventBytes && largeEvents.test(start)) return false
  if (targetEvents.test(start)) throw new Error(`an event of ${inMb(message.length)} about a target`)
  return true
}

const largeEvents = /^{"method":"(?:Target\.|Page\.screencastFrame"|Fetch\.requestPaused")/
const targetEvents = /^{"method":"Target\./

function inMb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1).replace(/\.0$/, '')} MB`
}
