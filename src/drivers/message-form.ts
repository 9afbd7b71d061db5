import type { CdpMessage } from './cdp-message.ts'

/** The form in which a library exchanges messages with its transport. */
export interface MessageForm<Message> {
  readonly fromText: (text: string) => Message
  readonly toText: (message: Message) => string
  readonly toObject: (message: Message) => CdpMessage
  readonly fromObject: (message: CdpMessage) => Message
  /** Whether a command must pass through the file bridge. */
  readonly namesFiles: (command: Message) => boolean
  /** Whether an event must pass through the file bridge. */
  readonly mentionsFiles: (event: Message) => boolean
}

/** Messages as objects: Playwright. */
export const objectForm: MessageForm<CdpMessage> = {
  fromText: (text) => JSON.parse(text) as CdpMessage,
  toText: (message) => JSON.stringify(message),
  toObject: (message) => message,
  fromObject: (message) => message,
  namesFiles: ({ method }) => method !== undefined && commands.has(method),
  mentionsFiles: ({ method }) =>
    method !== undefined && (method.startsWith('Target.') || method.startsWith('Browser.download')),
}

/** Messages as text: Puppeteer. Only the few that matter are parsed. */
export const textForm: MessageForm<string> = {
  fromText: (text) => text,
  toText: (text) => text,
  toObject: (text) => JSON.parse(text) as CdpMessage,
  fromObject: (message) => JSON.stringify(message),
  // Puppeteer writes the method first, as Chromium does; the beginning has room for ids before it.
  namesFiles: (text) => namesFiles.test(text.slice(0, 200)),
  mentionsFiles: (text) => text.startsWith('{"method":"Target.') || text.startsWith('{"method":"Browser.download'),
}

const commands: ReadonlySet<string> = new Set([
  'Browser.setDownloadBehavior',
  'DOM.setFileInputFiles',
  'Page.setDownloadBehavior',
])

const namesFiles = /"(?:DOM\.setFileInputFiles|(?:Browser|Page)\.setDownloadBehavior)"/
