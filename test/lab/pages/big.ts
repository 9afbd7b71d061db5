import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { htmlDocument, numberFrom, sendHtml, type Pages } from './page.ts'

const paragraph = `<p>${'The bowline holds under load and comes undone. '.repeat(20)}</p>\n`

const paragraphs = function* (bytes: number): Generator<string> {
  yield htmlDocument('Big', '<h1>Big</h1>')
  for (let sent = 0; sent < bytes; sent += paragraph.length) yield paragraph
}

/**
 * Pages with many bytes (`/big?bytes=`), many elements (`/big/elements?count=`) or deep nesting
 * (`/big/depth?count=`).
 */
export const bigPages: Pages = {
  '/big': async ({ response, url }) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    await pipeline(Readable.from(paragraphs(numberFrom(url, 'bytes', 1024 * 1024))), response).catch(() => undefined)
  },
  '/big/elements': (exchange) =>
    sendHtml(exchange, 'Elements', '<i>.</i>'.repeat(numberFrom(exchange.url, 'count', 10_000))),
  '/big/depth': (exchange) => sendHtml(exchange, 'Depth', '<div>'.repeat(numberFrom(exchange.url, 'count', 1000))),
}
