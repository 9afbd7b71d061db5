import { fixedPage, type Pages } from '../lab/pages/page.ts'

/** A page with an element for each tool. */
const tools = `
<form><label>Name <input id="name"></label><label>Colour <select><option>red</option><option>green</option></select></label>
<label>Agree <input type="checkbox"></label></form>
<button onclick="console.warn('pressed'); this.textContent = 'Pressed ' + ++count; fetch('/sizes')">Press</button>
<button onclick="document.querySelector('#said').textContent = prompt('Who?')">Ask</button><p id="said"></p>
<button onmouseover="this.textContent = 'Hovered'">Hover</button>
<button onclick="setTimeout(() => document.body.append('Late text'), 100)">Later</button>
<label>File <input type="file" onchange="this.files[0].text().then((text) => document.querySelector('#file').textContent = text)"></label>
<p id="file"></p>
<a href="/download?bytes=12&name=note.txt">Download</a> <a href="/form" target="_blank">Open tab</a>
<div draggable="true" role="button" aria-label="Thing">Thing</div>
<div role="button" aria-label="Basket" ondragover="event.preventDefault()" ondrop="this.textContent = 'Dropped'; this.ariaLabel = 'Full'">Basket</div>
<script>let count = 0; console.error('bad start')</script>`

const comments = Array.from(
  { length: 150 },
  (_, index) => `<li><a href="/user/${index}">user-${index}</a>
    <p>Comment number ${index} ${index === 117 ? 'about tarred hemp' : 'about rope'} ${'and more '.repeat(20)}</p>
    <button onclick="this.textContent = 'Liked'">Like</button></li>`,
)

const thread = `<nav><a href="/">Home</a></nav><h1>Knots</h1><ul>${comments.join('')}</ul>
  <script>document.querySelector('h1').onclick = () => location.reload()</script>`

/** Pages for the tests of the tools. */
export const toolPages: Pages = {
  '/tools': fixedPage('Tools', tools),
  '/comments': fixedPage('Comments', thread),
}
