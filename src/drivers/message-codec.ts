import type { CdpMessage } from './cdp-message.ts'

/** Converts between the messages of a library and CDP. */
export interface MessageCodec<Message> {
  readonly fromText: (text: string) => Message
  readonly toText: (message: Message) => string
  readonly toObject: (message: Message) => CdpMessage
  readonly fromObject: (message: CdpMessage) => Message
  /** Whether a command must pass through the file bridge. */
  readonly needsBridge: (command: Message) => boolean
  /** Whether an event must pass through the file bridge. */
  readonly isFileEvent: (event: Message) => boolean
}

/** Codec for Playwright, which exchanges objects. */
export const objectCodec: MessageCodec<CdpMessage> = {
  fromText: (text) => JSON.parse(text) as CdpMessage,
  toText: (message) => JSON.stringify(message),
  toObject: (message) => message,
  fromObject: (message) => message,
  needsBridge: ({ method }) => method !== undefined && commands.has(method),
  isFileEvent: ({ method }) => method !== undefined && fileEventPattern.test(method),
}

/** Codec for Puppeteer, which exchanges JSON. Only file messages are parsed. */
export const textCodec: MessageCodec<string> = {
  fromText: (text) => text,
  toText: (text) => text,
  toObject: (text) => JSON.parse(text) as CdpMessage,
  fromObject: (message) => JSON.stringify(message),
  // Puppeteer writes the method first, as Chromium does. The prefix leaves room for ids before it.
  needsBridge: (text) => fileCommandPattern.test(text.slice(0, 200)),
  isFileEvent: (text) => text.startsWith(eventStart) && fileEventPattern.test(text.slice(eventStart.length, 100)),
}

const commands: ReadonlySet<string> = new Set([
  'Browser.setDownloadBehavior',
  'DOM.setFileInputFiles',
  'Page.setDownloadBehavior',
])

const fileCommandPattern = /"(?:DOM\.setFileInputFiles|(?:Browser|Page)\.setDownloadBehavior)"/

const eventStart = '{"method":"'

const fileEventPattern = /^(?:Target\.|(?:Browser|Page)\.download)/
