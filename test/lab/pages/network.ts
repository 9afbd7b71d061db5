import { fixedPage, numberFrom, readBody, sendHtml, sendJson, type Pages } from './page.ts'

/**
 * Pages that use fetch, XMLHttpRequest, WebSocket and many requests. `/echo` and `/socket` echo.
 */
export const networkPages: Pages = {
  '/network': fixedPage(
    'Network',
    `<output id="fetch"></output><output id="xhr"></output><output id="socket"></output><script>
       const show = (id, text) => { document.getElementById(id).textContent = text }
       fetch('/echo', { method: 'POST', body: 'fetched' }).then((r) => r.json()).then((echo) => show('fetch', echo.body))
       const xhr = new XMLHttpRequest()
       xhr.onload = () => show('xhr', JSON.parse(xhr.responseText).body)
       xhr.open('POST', '/echo'); xhr.send('requested')
       const socket = new WebSocket(location.origin.replace('http', 'ws') + '/socket')
       socket.onopen = () => socket.send('hello')
       socket.onmessage = (event) => show('socket', event.data)
     </script>`,
  ),
  '/network/many': (exchange) => {
    const count = numberFrom(exchange.url, 'count', 1000)
    const script = `Promise.all(Array.from({ length: ${count} }, (_, i) => fetch('/echo?' + i)))
      .then((all) => { document.querySelector('output').textContent = String(all.length) })`
    sendHtml(exchange, 'Many requests', `<output></output><script>${script}</script>`)
  },
  '/echo': async (exchange) => {
    const { method, headers } = exchange.request
    const body = (await readBody(exchange.request)).toString('utf8')
    exchange.response.setHeader('access-control-allow-origin', '*')
    sendJson(exchange, { method, path: exchange.url.pathname + exchange.url.search, headers, body })
  },
}
