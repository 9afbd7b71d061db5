import { escapeHtml, fixedPage, readBody, sendHtml, type Pages } from './page.ts'

/** A form with the usual controls, and the page it is sent to. */
export const formPages: Pages = {
  '/form': fixedPage(
    'Form',
    `<form action="/form/result" method="post">
       <input name="name" placeholder="Name"><input name="agree" type="checkbox">
       <select name="colour"><option>red</option><option>green</option></select>
       <textarea name="note"></textarea><button type="submit">Send</button>
     </form>`,
  ),
  '/form/result': async (exchange) => {
    const fields = new URLSearchParams((await readBody(exchange.request)).toString('utf8'))
    const items = [...fields].map(([name, value]) => `<li data-name="${escapeHtml(name)}">${escapeHtml(value)}</li>`)
    sendHtml(exchange, 'Form result', `<ul id="result">${items.join('')}</ul>`)
  },
}
