import { setTimeout as sleep } from 'node:timers/promises'
import { fixedPage, numberFrom, sendHtml, type Pages } from './page.ts'

const trickleMs = 50

/**
 * Responses that are late (`/slow?ms=`), never sent (`/never`) or never end (`/trickle`), and a
 * page that blocks its renderer.
 */
export const slowPages: Pages = {
  '/slow': async (exchange) => {
    await sleep(numberFrom(exchange.url, 'ms', 500))
    sendHtml(exchange, 'Slow', '<h1>Slow</h1>')
  },
  '/never': () => {},
  '/trickle': async ({ response }) => {
    response.setHeader('content-type', 'text/html')
    while (!response.destroyed) {
      response.write('<p>more</p>')
      await sleep(trickleMs)
    }
  },
  '/hang-up': ({ request }) => {
    request.socket.destroy()
  },
  '/busy': fixedPage('Busy', `<button onclick="for (;;);">Never comes back</button>`),
}
