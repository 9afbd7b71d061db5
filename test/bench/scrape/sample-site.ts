import { createHash } from 'node:crypto'

const words =
  'harbour light wall boat stone morning engine letter market window river signal captain ledger paper copper winter bridge garden station'.split(
    ' ',
  )

/** Text with this number of words. The same name returns the same text. */
function prose(name: string, count: number): string {
  const digest = createHash('sha256').update(name).digest()
  const chosen = Array.from({ length: count }, (_, index) => words[(digest[index % 32]! + index * 7) % words.length])
  return chosen.map((word, index) => (index % 11 === 10 ? `${word}.` : word)).join(' ')
}

/** Sections of a page: about 45 kB in total, half of which is text. */
const sections = 24

/** A page like those of blogs and manuals: menus, prose, links, lists, a table and code. */
export function samplePage(name: string): string {
  const menu = Array.from(
    { length: 40 },
    (_, index) => `<li class="menu-item"><a href="/s/${index}">${prose(`m${index}`, 2)}</a></li>`,
  )
  const body = Array.from({ length: sections }, (_, index) => sectionOf(`${name}-${index}`, index))
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${prose(name, 5)}</title>
    <meta name="description" content="${prose(`${name}d`, 20)}"><style>${'.a{margin:0}'.repeat(200)}</style></head>
    <body><header class="site-header"><nav><ul>${menu.join('')}</ul></nav></header>
    <main><article><h1>${prose(name, 6)}</h1>${body.join('\n')}</article></main>
    <aside class="sidebar"><h2>Related</h2><ul>${menu.join('')}</ul></aside>
    <footer class="site-footer"><ul>${menu.join('')}</ul><p>Copyright</p></footer>
    <script>${'/* analytics */ window.seen = (window.seen || 0) + 1;'.repeat(40)}</script></body></html>`
}

function sectionOf(name: string, index: number): string {
  return `<section><h2 id="${name}">${prose(name, 4)}</h2>
   <p>${prose(`${name}a`, 90)} <a href="/p/${index}">${prose(`${name}b`, 3)}</a> <em>${prose(`${name}c`, 4)}</em></p>
   <p>${prose(`${name}d`, 60)} <code>${words[index % words.length]}()</code> <strong>${prose(`${name}e`, 3)}</strong></p>
   ${
     index % 4 === 0
       ? `<ul>${prose(`${name}l`, 6)
           .split(' ')
           .map((word) => `<li><a href="/w/${word}">${word}</a> ${prose(word, 8)}</li>`)
           .join('')}</ul>`
       : ''
   }
   ${index % 6 === 1 ? `<pre><code class="language-js">${'const boat = harbour.find(1)\n'.repeat(8)}</code></pre>` : ''}
   ${index % 8 === 2 ? `<table><tr><th>One<th>Two<th>Three</tr>${'<tr><td>a<td>b<td>c</tr>'.repeat(12)}</table>` : ''}</section>`
}

/** The same page, rendered by a script in the browser. */
export function scriptedPage(name: string): string {
  return `<!doctype html><html><head><meta charset="utf-8"><title>App</title></head><body><div id="root"></div>
   <script>document.getElementById('root').innerHTML = ${JSON.stringify(samplePage(name).replace(/^[\s\S]*<main>|<\/main>[\s\S]*$/g, '')).replaceAll('</', '<\\/')}</script></body></html>`
}
