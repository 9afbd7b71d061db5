import { escapeHtml, fixedPage, sendHtml, type Pages } from './page.ts'

/** Frames of the same and of another origin, nested ones, and pages that open windows. */
export const framePages: Pages = {
  '/frames': (exchange) =>
    sendHtml(
      exchange,
      'Frames',
      `<iframe name="same" src="/frame?name=same"></iframe>
       <iframe name="cross" src="${exchange.crossOrigin}/frame?name=cross"></iframe>`,
    ),
  '/frames/nested': (exchange) =>
    sendHtml(exchange, 'Nested frames', `<iframe name="outer" src="${exchange.crossOrigin}/frames"></iframe>`),
  '/frame': (exchange) => {
    const name = escapeHtml(exchange.url.searchParams.get('name') ?? 'frame')
    const reply = `document.querySelector('output').textContent = 'clicked in ${name}'`
    sendHtml(exchange, name, `<p>${name}</p><button onclick="${reply}">Click</button><output></output>`)
  },
  '/popup': fixedPage(
    'Popup',
    `<button id="open" onclick="window.open('/title?text=Opened', '', 'width=300,height=200')">Open</button>
     <a id="tab" target="_blank" href="/title?text=Tab">Tab</a>`,
  ),
  '/dialogs': fixedPage(
    'Dialogs',
    `<button id="alert" onclick="alert('Mind the gap'); show('done')">Alert</button>
     <button id="confirm" onclick="show(String(confirm('Go on?')))">Confirm</button>
     <button id="prompt" onclick="show(String(prompt('Name?', 'nobody')))">Prompt</button><output></output>
     <script>const show = (text) => { document.querySelector('output').textContent = text }</script>`,
  ),
  '/beforeunload': fixedPage(
    'Before unload',
    `<button>Touch me</button><script>addEventListener('beforeunload', (event) => event.preventDefault())</script>`,
  ),
}
