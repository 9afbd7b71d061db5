/** A command of a client. */
export interface CdpCommand {
  readonly id: number
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>> | undefined
  readonly sessionId?: string | undefined
}

/** A response of the browser to a command. */
export interface CdpResponse {
  readonly id: number
  readonly result?: object
  readonly error?: { readonly code: number; readonly message: string }
  readonly sessionId?: string
}

const tailKey = Buffer.from(',"sessionId":"')
const cdpSessionIdLength = 32
const tailLength = tailKey.length + cdpSessionIdLength + '"}'.length
const targetEvent = Buffer.from('{"method":"Target.')
const otherNestedMessage =
  /^{"method":"Target\.receivedMessageFromTarget","params":{"sessionId":"\w+","message":"{\\"(?:id\\":\d|method\\":\\"(?!Target\.)\w)/
const dialogEndEvent = Buffer.from('{"method":"Page.javascriptDialogClosed"')
const dialogEvent = Buffer.from('{"method":"Page.javascriptDialogOpening"')

const quote = 0x22
const closingBrace = 0x7d
const letterM = 0x6d

/**
 * Reads the CDP session id from the last 48 bytes of a message. Chromium writes `sessionId` last,
 * so a 50 MB response does not have to be parsed. Undefined if the message does not end with one.
 */
export function cdpSessionIdAtTail(message: Buffer): string | undefined {
  const start = message.length - tailLength
  if (start < 1 || message[message.length - 1] !== closingBrace || message[message.length - 2] !== quote)
    return undefined
  if (message.compare(tailKey, 0, tailKey.length, start, start + tailKey.length) !== 0) return undefined
  return message.toString('latin1', start + tailKey.length, message.length - 2)
}

/**
 * Removes the trailing `sessionId` from a message. Works in place: do not use the given buffer
 * afterwards.
 */
export function withoutCdpSessionId(message: Buffer): Buffer {
  const start = message.length - tailLength
  message[start] = closingBrace
  return message.subarray(0, start + 1)
}

/** Whether a message is an event. Events begin with `method`, responses with `id`. */
export function isEvent(message: Buffer): boolean {
  return message[2] === letterM
}

/**
 * Whether a message is an event of the Target domain. Only these change which sessions exist.
 * Messages of a session without `flatten` do only if they contain such an event. Others are as
 * large as a page makes them, and are not parsed.
 */
export function isTargetEvent(message: Buffer): boolean {
  return startsWith(message, targetEvent) && !otherNestedMessage.test(message.toString('latin1', 0, 160))
}

/** Whether a message reports that a JavaScript dialog was closed. */
export function isDialogEndEvent(message: Buffer): boolean {
  return startsWith(message, dialogEndEvent)
}

/** Whether a message reports that a page opened a JavaScript dialog. */
export function isDialogEvent(message: Buffer): boolean {
  return startsWith(message, dialogEvent)
}

function startsWith(message: Buffer, start: Buffer): boolean {
  return message.length > start.length && message.compare(start, 0, start.length, 0, start.length) === 0
}
