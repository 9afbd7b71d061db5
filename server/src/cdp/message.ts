/** A command as a client sends it. Further keys are not passed on. */
export interface CdpCommand {
  readonly id: number
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>> | undefined
  readonly sessionId?: string | undefined
}

/** An event or an answer as the browser sends it. */
export interface CdpIncoming {
  readonly id?: number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
  readonly sessionId?: string
}

const tailKey = Buffer.from(',"sessionId":"')
const sessionIdLength = 32
const tailLength = tailKey.length + sessionIdLength + '"}'.length
const targetEvent = Buffer.from('{"method":"Target.')
const dialogEndEvent = Buffer.from('{"method":"Page.javascriptDialogClosed"')
const dialogEvent = Buffer.from('{"method":"Page.javascriptDialogOpening"')

const quote = 0x22
const closingBrace = 0x7d

/**
 * The session a message belongs to, read from its last 48 bytes: Chromium writes `sessionId` last, so that a 50 MB
 * answer need not be parsed. Undefined when the message has no such tail.
 */
export function sessionIdAtTail(message: Buffer): string | undefined {
  const start = message.length - tailLength
  if (start < 1 || message[message.length - 1] !== closingBrace || message[message.length - 2] !== quote)
    return undefined
  if (message.compare(tailKey, 0, tailKey.length, start, start + tailKey.length) !== 0) return undefined
  return message.toString('latin1', start + tailKey.length, message.length - 2)
}

/** The same message without its `sessionId`, made in place: the given buffer must not be used afterwards. */
export function withoutSessionId(message: Buffer): Buffer {
  const start = message.length - tailLength
  message[start] = closingBrace
  return message.subarray(0, start + 1)
}

/** Whether this is an event of the Target domain: only these change which sessions exist. */
export function isTargetEvent(message: Buffer): boolean {
  return startsWith(message, targetEvent)
}

/** Whether this says that such a dialog is over. */
export function isDialogEndEvent(message: Buffer): boolean {
  return startsWith(message, dialogEndEvent)
}

/** Whether this says that a page asks something by a JavaScript dialog. */
export function isDialogEvent(message: Buffer): boolean {
  return startsWith(message, dialogEvent)
}

function startsWith(message: Buffer, start: Buffer): boolean {
  return message.length > start.length && message.compare(start, 0, start.length, 0, start.length) === 0
}
