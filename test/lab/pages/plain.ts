import { escapeHtml, fixedPage, numberFrom, sendHtml, type Pages } from './page.ts'

/** A plain page, links, titles, statuses. */
export const plainPages: Pages = {
  '/': fixedPage('Plain', '<h1>Plain page</h1><p id="text">Nothing moves here.</p><a href="/links">Links</a>'),
  '/links': fixedPage(
    'Links',
    `<ul><li><a id="first" href="/title?text=First">First</a></li><li><a href="/title?text=Second">Second</a></li></ul>
     <a id="blank" target="_blank" href="/title?text=Blank">In a new tab</a><a href="#below">Below</a><h2 id="below">Below</h2>`,
  ),
  '/title': (exchange) => {
    const text = escapeHtml(exchange.url.searchParams.get('text') ?? 'Untitled')
    sendHtml(exchange, text, `<h1>${text}</h1>`)
  },
  '/status': (exchange) => {
    const status = numberFrom(exchange.url, 'code', 404)
    exchange.response.statusCode = status
    sendHtml(exchange, `Status ${status}`, `<h1>${status}</h1>`)
  },
}
