import { fixedPage, sendHtml, type Page, type Pages } from '../../../test/lab/pages/page.ts'
import { makePdf } from './parse/make-pdf.ts'

const sentences = 'The harbour was quiet, and the boats lay close to the wall. '.repeat(12)

const article = `<header><nav><a href="/menu">Menu</a></nav></header>
  <main><article><h1>The harbour</h1><p>${sentences} Behind it stands <a href="lighthouse">the light</a>.</p><p class="aside">A note in <a href="/passing">passing</a>.</p>
  <img src="/boat.png" alt="boat"></article></main><footer>Imprint</footer>`

/** Sends bytes unchanged. */
function bytes(body: string | Uint8Array, headers: Readonly<Record<string, string>>, status = 200): Page {
  return ({ response }) => {
    response.writeHead(status, headers)
    response.end(body)
  }
}

const html = { 'content-type': 'text/html; charset=utf-8' }

/** Pages for scrapes, one for each special case. */
export const scrapePages: Pages = {
  '/article': fixedPage('Harbour', article),
  '/branded': fixedPage(
    'Branded',
    `<meta property="og:site_name" content="Harbour Inn"><link rel="icon" href="/icon.svg">
    <style>
      body { margin: 0; background: #101820; color: rgb(240 240 240); font: 16px/24px Inter, "Open Sans", sans-serif; padding: 16px }
      h1 { font: 700 40px/48px Lora, serif } a { color: oklch(0.75 0.15 70) }
      button { background: #e63946; color: #fff; border: 0; border-radius: 8px; padding: 8px 24px; width: 300px }
      button.quiet { background: #457b9d; width: 100px }
      input { border: 1px solid #808080; border-radius: 4px }
    </style>
    <img class="site-logo" src="/logo.png" width="80" height="40"><h1>Rooms</h1><p>${sentences} <a href="/rooms">All rooms</a></p>
    <button>Book</button><button class="quiet">Call</button><input>`,
  ),
  '/charset/header': bytes(Buffer.from('<p>na\xefve caf\xe9</p>', 'latin1'), {
    'content-type': 'text/html; charset=iso-8859-1',
  }),
  '/charset/meta': bytes(Buffer.from('<meta charset="windows-1251"><p>\xcf\xf0\xe8\xe2\xe5\xf2</p>', 'latin1'), {
    'content-type': 'text/html',
  }),
  '/charset/mark': bytes(Buffer.from('\ufeff<p>naïve café</p>', 'utf16le'), { 'content-type': 'text/html' }),
  '/charset/none': bytes(Buffer.from('<p>na\xefve caf\xe9</p>', 'latin1'), { 'content-type': 'text/html' }),
  '/refresh': bytes('<meta http-equiv="refresh" content="0; url=/article">', html),
  '/refresh-header': bytes('<p>Moved</p>', { 'content-type': 'text/html', refresh: '0; url=/article' }),
  '/forever': ({ response, url }) => {
    response.writeHead(302, { location: `/forever?${Number(url.search.slice(1) || 0) + 1}` })
    response.end()
  },
  '/unescaped': ({ response }) => {
    const location = Buffer.from('/nowhere/Straße').toString('latin1')
    response.writeHead(302, { location }).end()
  },
  '/nowhere/Stra%C3%9Fe': bytes('<p>This moved, but where to?</p>', html, 302),
  '/asks-for-cookie': ({ request, response }) => {
    const isKnown = request.headers.cookie?.includes('seen=1') === true
    response.writeHead(
      isKnown ? 200 : 302,
      isKnown ? html : { location: '/asks-for-cookie', 'set-cookie': 'seen=1; Path=/' },
    )
    response.end(isKnown ? '<p>Come in.</p>' : '')
  },
  '/cookies/set': ({ response }) => {
    const cookies = ['here=1; Path=/', 'folder=1', 'gone=1; Path=/; Max-Age=0', 'away=1; Path=/; Domain=example.com']
    response.writeHead(302, { location: '/headers', 'set-cookie': cookies }).end()
  },
  '/gone': bytes('<h1>Gone</h1>', html, 410),
  '/data.json': bytes('{"a": 1}', { 'content-type': 'application/json' }),
  '/password': bytes('Sign in first', { 'content-type': 'text/plain', 'www-authenticate': 'Basic realm="a"' }, 401),
  '/to-closed-port': bytes('<p>Wait</p><script>location = "http://127.0.0.1:1/"</script>', html),
  '/to-private': bytes('<p>Wait</p><script>location = "http://10.0.0.1/"</script>', html),
  '/refresh-to-private': bytes('<meta http-equiv="refresh" content="0; url=http://10.0.0.1/"><p>Wait</p>', html),
  '/notes.txt': bytes('plain <b>words</b>', { 'content-type': 'text/plain' }),
  '/nested-controls': fixedPage(
    'Nested',
    `<div style="height:3000px"></div><div id="host"></div>
     <iframe style="border:5px solid;margin:20px" srcdoc="<div style='height:900px'></div><input id='framed'>"></iframe><script>
       host.attachShadow({ mode: 'open' }).innerHTML = '<button id="shaded">Click</button>'
       host.shadowRoot.querySelector('button').onclick = () => { document.title = 'clicked' }</script>`,
  ),
  '/tracked': fixedPage(
    'Tracked',
    '<h1>News</h1><p>Text</p><img src="http://www.google-analytics.com:8080/collect?x"><img src="/boat.png">',
  ),
  '/feed.xml': bytes('<?xml version="1.0"?><rss><title>A &amp; B</title></rss>', { 'content-type': 'application/xml' }),
  '/drawing.svg': bytes('<svg xmlns="http://www.w3.org/2000/svg"><title>A &amp; B</title></svg>', {
    'content-type': 'image/svg+xml',
  }),
  '/table.csv': bytes('a,b\n1,2\n', { 'content-type': 'text/csv' }),
  '/members.pdf': ({ request, response }) => {
    const isMember = request.headers.cookie?.includes('seen=yes') === true
    response.writeHead(isMember ? 200 : 403, { 'content-type': isMember ? 'application/pdf' : 'text/html' })
    response.end(isMember ? makePdf([[{ size: 12, text: 'For members' }]]) : 'Members only')
  },
  '/picture.png': bytes(Buffer.from([0x89, 0x50, 0x4e, 0x47]), { 'content-type': 'image/png' }),
  '/utf-16': bytes(Buffer.from('\ufeff<html><p>Grüße 日本</p></html>', 'utf16le'), {}),
  '/utf-16.txt': bytes(Buffer.from('\ufeffGrüße 日本', 'utf16le'), { 'content-type': 'application/octet-stream' }),
  '/program.bin': bytes(Buffer.from([0, 1, 2, 3]), { 'content-type': 'application/octet-stream' }),
  '/three.pdf': bytes(makePdf(['First page', 'Second page', 'Third page'].map((text) => [{ size: 12, text }])), {
    'content-type': 'application/octet-stream',
  }),
  '/about-pdf': bytes('<!doctype html><title>Files</title><p>Such a file starts with %PDF-1.7.</p>', html),
  '/broken.pdf': bytes('%PDF-1.7 nothing more', { 'content-type': 'application/pdf' }),
  '/drip': ({ response }) => {
    response.writeHead(200, html)
    const timer = setInterval(() => response.write('<p>and on</p>'), 20)
    response.on('close', () => clearInterval(timer))
  },
  '/attributes': bytes(`<p ${Array.from({ length: 257 }, (_, index) => `a${index}="v"`).join(' ')}>text</p>`, html),
  '/columns': bytes(
    `<table>${['th', 'td'].map((name) => `<tr>${`<${name}>cell</${name}>`.repeat(201)}</tr>`).join('')}</table>`,
    html,
  ),
  '/huge': bytes(`<p>start</p>${'<p>more</p>'.repeat(2_200_000)}`, html),
  '/deep': bytes(`${'<div>'.repeat(100_000)}<p>bottom</p>`, html),
  '/step-by-step': bytes(
    `<!doctype html><title>Steps</title><div id="root"></div><script>
       const draw = (left) => {
         root.innerHTML += '<p>Step ' + left + '</p>'
         if (left > 0) setTimeout(draw, 40, left - 1)
       }
       root.innerHTML = '<p>A text of some length.</p>'.repeat(20)
       setTimeout(draw, 40, 1)</script>`,
    html,
  ),
  '/shell': bytes(
    `<!doctype html><title>App</title><div id="root"></div><script>
       root.innerHTML = '<h1>Rendered</h1><p>by a script</p>'</script>`,
    html,
  ),
  '/acting': fixedPage(
    'Acting',
    `<input id="name"><button id="greet">Greet</button><button class="more" onclick="count.textContent++">+</button>
     <button class="more" onclick="count.textContent++">+</button><output id="count">0</output><p id="out"></p>
     <div style="height:5000px"></div><p id="late"></p><script>
       greet.onclick = () => setTimeout(() => { out.textContent = 'Hello ' + document.querySelector('#name').value }, 100)
       document.querySelector('#name').onkeydown = (event) => { if (event.key === 'Enter') late.textContent = 'entered' }
       onscroll = () => document.title = 'scrolled'
     </script>`,
  ),
  '/place': fixedPage(
    'Place',
    `<meta name="viewport" content="width=device-width"><p id="p"></p><script>p.textContent = [navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone,
      navigator.userAgent.includes('Mobile') ? 'phone' : 'desk', innerWidth, (1234.5).toLocaleString()].join(' | ')</script>`,
  ),
  '/ads': fixedPage(
    'Ads',
    `<h1>News</h1><div id="cookie-banner">We value your privacy</div><ins class="adsbygoogle">Buy now</ins>
     <script src="http://ads.doubleclick.net/ad.js"></script>`,
  ),
  '/nested': (exchange) =>
    sendHtml(
      exchange,
      'Nested',
      `<h1>Outside</h1><iframe src="/inner"></iframe><iframe src="${exchange.crossOrigin}/inner-foreign"></iframe>
       <div id="host"></div><script>
         host.attachShadow({ mode: 'open' }).innerHTML = '<p>In the shadow</p>'</script>`,
    ),
  '/inner': fixedPage('Inner', '<p>Inside a frame</p>'),
  '/inner-foreign': fixedPage('Inner', '<p>Inside a foreign frame</p>'),
  '/headers': ({ request, response }) => {
    response.writeHead(200, html)
    response.end(`<pre>${JSON.stringify(request.headers)}</pre>`)
  },
  // Redirects through another origin to `/headers`.
  '/there-and-back': ({ response, crossOrigin }) => {
    response.writeHead(302, { location: `${crossOrigin}/away` }).end()
  },
  '/away': ({ response, crossOrigin }) => {
    response.writeHead(302, { location: `${crossOrigin}/headers` })
    response.end()
  },
  '/hang': fixedPage('Hang', '<script>for (;;);</script>'),
}
