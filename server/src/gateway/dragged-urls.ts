import { isOversizedEvent } from '../cdp/message-limits.ts'
import { isExternal, isNavigable } from './navigable.ts'

/** An item of dragged data, unchecked. */
interface DraggedItem {
  readonly mimeType?: unknown
  data?: unknown
}

/** Start of the event of a drag that the browser leaves to the client. */
const intercepted = Buffer.from('{"method":"Input.dragIntercepted"')

/** Replacement for a refused URL. Chromium uses it for `chrome:` links. */
const blocked = 'about:blank#blocked'

/** Returns the first URL in dragged data that a client may not open. */
export function refusedUrlOf(items: readonly unknown[]): string | undefined {
  return items.flatMap(linesOf).find(isRefused)?.text
}

/**
 * Replaces refused URLs in the event of a drag that a page has started. Drivers send its data with
 * the next commands of the drag, and do not recover if one is refused.
 */
export function withoutRefusedUrls(message: Buffer): Buffer {
  if (!isInterception(message) || isOversizedEvent(message)) return message
  const event = JSON.parse(message.toString()) as Interception
  const { items } = event.params.data
  if (refusedUrlOf(items) === undefined) return message
  for (const item of items) item.data = withoutRefused(item)
  return Buffer.from(JSON.stringify(event))
}

function withoutRefused(item: DraggedItem): string {
  const lines = linesOf(item).map((line) => (isRefused(line) ? blocked : line.text))
  return lines.join('\r\n')
}

interface Interception {
  readonly params: { readonly data: { readonly items: readonly DraggedItem[] } }
}

function isInterception(message: Buffer): boolean {
  return (
    message.length > intercepted.length &&
    message.compare(intercepted, 0, intercepted.length, 0, intercepted.length) === 0
  )
}

/** A line of a dragged item. */
interface DraggedLine {
  readonly text: string
  readonly isUrl: boolean
}

function isRefused({ text, isUrl }: DraggedLine): boolean {
  const url = text.trim()
  return isUrl && !isNavigable(url) && !isExternal(url) && !/^javascript:/i.test(url)
}

/**
 * Splits a dragged item into lines. Lists of URLs have one per line. Lines that start with "#" are
 * comments, and every second line of `text/x-moz-url` is a title. Other types have no URLs for the
 * browser.
 */
function linesOf(item: unknown): readonly DraggedLine[] {
  const { mimeType, data } = (item ?? {}) as DraggedItem
  const [, type] = /^\s*(?:text\/)?(uri-list|x-moz-url|url)\s*(?:;|$)/i.exec(String(mimeType)) ?? []
  if (type === undefined) return [{ text: String(data), isUrl: false }]
  const hasTitles = type.toLowerCase() === 'x-moz-url'
  return String(data)
    .split(/\r\n|\r|\n/)
    .map((text, index) => ({ text, isUrl: isUrlLine(text.trim()) && (!hasTitles || index % 2 === 0) }))
}

function isUrlLine(text: string): boolean {
  return text !== '' && !text.startsWith('#')
}
