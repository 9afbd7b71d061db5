import { fixedPage, type Pages } from '../../lab/pages/page.ts'

const words =
  'line rope knot tide anchor sail harbour wind deck mast hull keel bow stern watch chart log signal crew captain'.split(
    ' ',
  )

/** The ten kinds of long pages, by path. */
export const benchPages: Pages = {
  '/news': fixedPage('News', news()),
  '/spec': fixedPage('Specification', specification()),
  '/shop': fixedPage('Shop', shop()),
  '/dashboard': fixedPage('Dashboard', dashboard()),
  '/results': fixedPage('Results', results()),
  '/manual': fixedPage('Manual', manual()),
  '/mail': fixedPage('Mail', mail()),
  '/forum': fixedPage('Forum', forum()),
  '/product': fixedPage('Product', product()),
  '/article': fixedPage('Article', article()),
}

/** The paths of the pages. */
export const benchPaths = Object.keys(benchPages)

/** Returns `count` words that depend on `seed` only. */
function sentence(seed: number, count: number): string {
  const text = repeat(count, (index) => words[(seed * 7 + index * (3 + (seed % 5))) % words.length] ?? '').join(' ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

function repeat(count: number, create: (index: number) => string): readonly string[] {
  return Array.from({ length: count }, (_, index) => create(index))
}

function join(count: number, create: (index: number) => string): string {
  return repeat(count, create).join('')
}

function news(): string {
  const comment = (index: number): string => `<tr><td style="padding-left:${(index % 6) * 40}px">
    <a href="#up${index}" title="upvote">▲</a> <a href="/user/${index}">sailor${index}</a> <a href="#c${index}">${index} minutes ago</a>
    | <a href="#p${index}">parent</a> | <a href="#n${index}">next</a> <a href="#f${index}">[–]</a>
    <p>${sentence(index, 45)}</p><p>${sentence(index + 1, 25)}</p>
    <button onclick="reply(${index})">reply</button></td></tr>`
  return `<a href="/">Harbour News</a> <a href="/new">new</a> <a href="/ask">ask</a>
    <h1>Why the bowline holds</h1><p>312 points, 300 comments</p>
    <form><textarea aria-label="Comment"></textarea><button>add comment</button></form>
    <table>${join(300, comment)}</table><p id="done"></p>
    <script>function reply(id) { document.querySelector('#done').innerHTML = '<div role="dialog" aria-label="Reply to sailor' + id +
      '"><textarea aria-label="Reply"></textarea><button onclick="this.parentElement.innerHTML = String.fromCharCode(82) + \\'eply posted\\'">Post</button></div>' }</script>`
}

function specification(): string {
  const section = (index: number): string => `<h2 id="s${index}">${index + 1}. ${sentence(index, 4)}</h2>
    ${join(
      4,
      (
        sub,
      ) => `<h3>${index + 1}.${sub + 1} ${index === 41 && sub === 2 ? 'Timeouts' : sentence(index * 4 + sub, 3)}</h3>
      <p>${index === 41 && sub === 2 ? 'The default timeout is 4711 ms.' : ''} ${sentence(index + sub, 90)} See <a href="#s${sub}">section ${sub}</a>.</p>
      <pre>${sentence(sub, 20)}</pre><p>${sentence(index * 3 + sub, 70)}</p>`,
    )}`
  return `<nav><h2>Contents</h2><ol>${join(
    60,
    (index) => `<li><a href="#s${index}">${sentence(index, 4)}</a>
    <ol>${join(4, (sub) => `<li><a href="#s${index}">${sentence(index * 4 + sub, 3)}</a></li>`)}</ol></li>`,
  )}</ol></nav>
    <main><h1>Knots Level 3</h1>${join(60, section)}</main>`
}

function shop(): string {
  const item = (
    index: number,
  ): string => `<li><article><a href="/shop/${index}"><img alt="Photo of boot ${index}" width="200" height="200"></a>
    <h3><a href="/shop/${index}">Trail boot ${index}</a></h3><span>${(index % 5) + 1} stars</span> <a href="#r${index}">${index * 3} reviews</a>
    <p>${sentence(index, 12)}</p><b>${40 + index} €</b>
    <label>Size <select><option>40</option><option>41</option><option>42</option><option>43</option></select></label>
    <button onclick="count.textContent = Number(count.textContent) + 1; status.textContent = 'Trail boot ${index} is in the cart'" aria-label="Add trail boot ${index}">Add to cart</button>
    <button>Compare</button></article></li>`
  const filter = (index: number): string =>
    `<fieldset><legend>Filter ${index}</legend>${join(12, (option) => `<label><input type="checkbox"> ${sentence(index + option, 1)}</label>`)}</fieldset>`
  return `<header><a href="/">Shop</a><input type="search" aria-label="Search products"><a href="/cart">Cart <span id="count">0</span></a></header>
    <p role="status" id="status"></p><aside>${join(8, filter)}</aside><ul>${join(200, item)}</ul>
    <script>const count = document.querySelector('#count'), status = document.querySelector('#status')</script>`
}

function dashboard(): string {
  const card = (
    index: number,
  ): string => `<section><h2>Metric ${index}</h2><p>${index * 17} per second</p><button>Zoom</button> <button>Export</button>
    <table>${join(12, (row) => `<tr><td>host-${row}</td><td>${row * index}</td><td><a href="#h${row}">open</a></td></tr>`)}</table></section>`
  return `<nav>${join(40, (index) => `<a href="#n${index}">${sentence(index, 2)}</a> `)}<a href="#settings" onclick="show()">Settings</a></nav>
    <h1>Overview</h1>${join(40, card)}<footer>${join(30, (index) => `<a href="#f${index}">${sentence(index, 2)}</a> `)}</footer>
    <script>function show() { document.body.innerHTML = '<h1>Settings</h1><label>Plan <select id=plan><option>Basic</option><option>Team</option></select></label>' +
      '<button onclick="said.textContent = plan.value + \\' saved\\'">Save</button><p role=status id=said></p>' }</script>`
}

function results(): string {
  const result = (
    index: number,
  ): string => `<div><a href="https://site${index}.example/"><h3>${sentence(index, 7)}</h3></a><cite>site${index}.example › ${sentence(index, 2)}</cite>
    <p>${sentence(index, 35)}</p><ul>${join(4, (link) => `<li><a href="#l${index}-${link}">${sentence(index + link, 3)}</a></li>`)}</ul></div>`
  return `<form role="search"><input aria-label="Query" value="bowline"><button>Search</button></form><h1>Results</h1>${join(100, result)}
    <h2>Related</h2>${join(20, (index) => `<a href="#q${index}">${sentence(index, 3)}</a> `)}`
}

function manual(): string {
  return `<aside><ul>${join(40, (group) => `<li><button aria-expanded="true">${sentence(group, 2)}</button><ul>${join(10, (page) => `<li><a href="#m${group}-${page}">${sentence(group + page, 3)}</a></li>`)}</ul></li>`)}</ul></aside>
    <main><h1>Install</h1>${join(30, (index) => `<h2>${sentence(index, 4)}</h2><p>${sentence(index, 60)}</p><pre>${sentence(index, 15)}</pre><button>Copy</button>`)}</main>`
}

function mail(): string {
  const row = (
    index: number,
  ): string => `<tr id="m${index}"><td><input type="checkbox" aria-label="Select"></td><td><button aria-label="Star">☆</button></td><td>sailor${index}</td>
    <td><a href="#m${index}" onclick="read(${index})">${index === 420 ? 'Invoice 4711' : sentence(index, 6)}</a></td><td>${sentence(index, 14)}</td><td>${index % 28} May</td></tr>`
  return `<nav>${join(12, (index) => `<a href="#b${index}">Folder ${index}</a> `)}</nav><button>Compose</button><input type="search" aria-label="Search mail">
    <p role="status" id="said"></p><table>${join(500, row)}</table>
    <script>function read(id) { document.body.innerHTML = '<h1>Message ' + id + '</h1><button onclick="this.outerHTML = \\'<p>Archived</p>\\'">Archive</button>' }</script>`
}

function forum(): string {
  const post = (
    index: number,
  ): string => `<article><a href="#u${index}">sailor${index}</a><img alt="" src=""><span>${index * 5} posts</span><h3>Re: splicing</h3>
    <blockquote>${sentence(index, 30)}</blockquote><p>${sentence(index + 2, 60)}</p><a href="#q${index}">Quote</a> <a href="#r${index}">Report</a> <a href="#l${index}">Like</a></article>`
  return `<nav><a href="/">Forum</a> › <a href="#k">Knots</a></nav><h1>Splicing</h1>${join(150, post)}<nav>${join(20, (index) => `<a href="#p${index}">${index + 1}</a> `)}</nav>
    <form><textarea aria-label="Answer"></textarea><button>Send</button></form>`
}

function product(): string {
  const review = (
    index: number,
  ): string => `<div><b>${(index % 5) + 1} of 5 stars</b> <a href="#u${index}">sailor${index}</a><h4>${sentence(index, 5)}</h4><p>${sentence(index, 50)}</p>
    <button>Helpful</button> <button>Report</button></div>`
  return `<h1>Marine rope, 20 m</h1><b>49 €</b><label>Colour <select>${join(12, (index) => `<option>${sentence(index, 1)}</option>`)}</select></label>
    <button>Buy</button><table>${join(30, (index) => `<tr><th>${sentence(index, 2)}</th><td>${sentence(index, 5)}</td></tr>`)}</table>
    <h2>Similar</h2>${join(40, (index) => `<a href="#s${index}"><img alt="Rope ${index}"> Rope ${index}, ${index} €</a> `)}<h2>Reviews</h2>${join(180, review)}`
}

function article(): string {
  const link = (seed: number): string => `<a href="/wiki/${seed}">${sentence(seed, 2)}</a>`
  const section = (index: number): string => `<h2>${sentence(index, 3)} <a href="#e${index}">edit</a></h2>
    ${join(4, (part) => `<p>${sentence(index + part, 30)} ${link(index)} ${sentence(part, 30)} ${link(part)} <sup><a href="#n${part}">[${part}]</a></sup></p>`)}`
  return `<nav>${join(60, link)}</nav><h1>Bowline</h1><table>${join(20, (index) => `<tr><th>${sentence(index, 2)}</th><td>${link(index)}</td></tr>`)}</table>
    ${join(35, section)}<h2>Notes</h2><ol>${join(120, (index) => `<li id="n${index}"><a href="#b${index}">^</a> ${sentence(index, 12)} ${link(index)}</li>`)}</ol>`
}
