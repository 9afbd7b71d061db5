import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { decodeText, gunzipIfNeeded } from '../../src/map/decode.ts'
import { readSitemap, type SitemapEntry } from '../../src/map/read-sitemap.ts'

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

async function read(document: string | Buffer, chunkSize = 7, most = Infinity): Promise<readonly SitemapEntry[]> {
  const entries: SitemapEntry[] = []
  await readSitemap(decodeText(gunzipIfNeeded(inChunks(Buffer.from(document), chunkSize), 64e6)), (entry) => {
    entries.push(entry)
    return entries.length < most
  })
  return entries
}

function urlset(...urls: readonly string[]): string {
  return `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>`
}

test('a sitemap is parsed in chunks of any size', async () => {
  const document = urlset(
    '<url><loc> https://a.example/1?x=1&amp;y=ü </loc></url>',
    '<url><loc>https://a.example/2</loc></url>',
  )

  for (const size of [1, 7, 100_000]) {
    expect((await read(document, size)).map(({ url }) => url)).toEqual([
      'https://a.example/1?x=1&y=ü',
      'https://a.example/2',
    ])
  }
})

test('URLs of images and videos are not pages', async () => {
  const document = urlset(
    `<url><loc>https://a.example/page</loc><image:image><image:loc>https://a.example/i.png</image:loc>
     <image:title>A picture</image:title></image:image></url>`,
  )

  expect(await read(document)).toEqual([{ kind: 'page', url: 'https://a.example/page' }])
})

test('an entry can contain unknown elements', async () => {
  const document = urlset('<url><loc>https://a.example/1</loc><constructor/></url>')

  expect(await read(document)).toEqual([{ kind: 'page', url: 'https://a.example/1' }])
})

test('namespace prefixes and CDATA are accepted', async () => {
  const document = '<s:urlset><s:url><s:loc><![CDATA[https://a.example/?a=1&b=2]]></s:loc></s:url></s:urlset>'

  expect(await read(document)).toMatchObject([{ url: 'https://a.example/?a=1&b=2' }])
})

test('a news sitemap contains titles', async () => {
  const document = urlset(
    '<url><loc>https://a.example/n</loc><news:news><news:title>Late  news</news:title></news:news></url>',
  )

  expect(await read(document)).toEqual([{ kind: 'page', url: 'https://a.example/n', title: 'Late news' }])
})

test('an index lists sitemaps', async () => {
  const document = '<sitemapindex><sitemap><loc>https://a.example/s1.xml</loc></sitemap></sitemapindex>'

  expect(await read(document)).toEqual([{ kind: 'sitemap', url: 'https://a.example/s1.xml' }])
})

test('an RSS feed lists its items with title and description', async () => {
  const document = `<rss><channel><title>Feed</title><link>https://a.example/</link><item><title>One</title>
    <link>https://a.example/one</link><description>&lt;p&gt;First &lt;b&gt;text&lt;/b&gt;&lt;/p&gt;</description></item></channel></rss>`

  expect(await read(document)).toEqual([
    { kind: 'page', url: 'https://a.example/one', title: 'One', description: 'First text' },
  ])
})

test('an Atom feed lists the pages of its entries', async () => {
  const document = `<feed><link href="https://a.example/"/><entry><title>Two</title><link rel="edit" href="https://a.example/edit"/>
    <link rel="enclosure" href="https://a.example/x.mp3"/></entry><entry><link href="https://a.example/three"/></entry></feed>`

  expect((await read(document)).map(({ url }) => url)).toEqual(['https://a.example/three'])
})

test('a plain text sitemap is read line by line', async () => {
  const document = '\n https://a.example/1\r\nnothing\nhttps://a.example/2\n\nhttps://a.example/3'

  expect((await read(document)).map(({ url }) => url)).toEqual([1, 2, 3].map((page) => `https://a.example/${page}`))
})

test('gzip is detected by its bytes', async () => {
  expect(await read(gzipSync(urlset('<url><loc>https://a.example/z</loc></url>')))).toHaveLength(1)
})

test('reading stops when the consumer stops', async () => {
  const endless = (async function* pieces() {
    yield '<urlset>'
    for (;;) yield '<url><loc>https://a.example/again</loc></url>'
  })()
  let count = 0

  await readSitemap(endless, () => (count += 1) < 10)

  expect(count).toBeGreaterThanOrEqual(10)
  expect((await endless.next()).done).toBe(true)
})

test.each([
  ['a bare ampersand', '<url><loc>https://a.example/?a=1&b=2</loc></url>', ['https://a.example/?a=1&b=2']],
  [
    'an element that is never closed',
    '<url><loc>https://a.example/1</url><url><loc>https://a.example/2</loc></url>',
    ['https://a.example/1', 'https://a.example/2'],
  ],
  ['an end in the middle', '<url><loc>https://a.example/1</loc></url><url><loc>https://a.exa', ['https://a.example/1']],
  [
    'an address without end',
    `<url><loc>https://a.example/${'x'.repeat(1e6)}</loc></url><url><loc>https://a.example/2</loc></url>`,
    ['https://a.example/2'],
  ],
])('%s does not affect other entries', async (_what, urls, expected) => {
  const entries = await read(`<urlset>${urls}`, 1000)

  expect(entries.map(({ url }) => url)).toEqual(expected)
})

test.each([
  ['nothing', '', []],
  ['white space', ' \r\n\t ', []],
  ['a page of HTML', '<!doctype html><title>Not found</title><a href="https://a.example/">x</a>', []],
  ['JSON', '{"url": "https://a.example/"}', []],
  ['a byte order mark before XML', '\ufeff<urlset><url><loc>https://a.example/1</loc></url></urlset>', [1]],
  ['a byte order mark before a list', '\ufeffhttps://a.example/1\nhttps://a.example/2', [1, 2]],
  ['upper-case elements', '<URLSET><URL><LOC>https://a.example/1</LOC></URL></URLSET>', [1]],
  ['line breaks in an address', '<urlset><url><loc>\r\n https://a.example/1\r\n</loc></url></urlset>', [1]],
  ['an empty address', '<urlset><url><loc> </loc></url><url><loc/></url><url/></urlset>', []],
  ['two addresses: the first counts', '<url><loc>https://a.example/1</loc><loc>https://a.example/2</loc></url>', [1]],
  ['a comment', '<urlset><!-- <url><loc>https://a.example/9</loc></url> --></urlset>', []],
  ['character references', '<url><loc>https&#58;//a.example/&#x31;</loc></url>', [1]],
  ['a list with other schemes', 'ftp://a.example/1\njavascript:alert(1)\nHTTPS://a.example/1', [1]],
  ['a list with carriage returns', 'https://a.example/1\rhttps://a.example/2', [1, 2]],
])('%s', async (_what, document, pages) => {
  const urls = (await read(document)).map(({ url }) => url.replace(/^HTTPS/, 'https'))

  expect(urls).toEqual(pages.map((page) => `https://a.example/${page}`))
})

test('entities defined in a document are not expanded, which prevents a billion laughs attack', async () => {
  const document = `<!DOCTYPE urlset [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">
    <!ENTITY x SYSTEM "file:///etc/passwd">]>${urlset('<url><loc>https://a.example/&c;</loc></url>', '<url><loc>https://a.example/&x;</loc></url>')}`

  expect((await read(document)).map(({ url }) => url)).toEqual(['https://a.example/&c;', 'https://a.example/&x;'])
})

test('a document that nests endlessly is abandoned quickly', async () => {
  const bytes = Buffer.from('<urlset>' + '<a>'.repeat(3e6) + '</b>'.repeat(3e6))
  const startedMs = performance.now()

  expect(await read(bytes, 65_536)).toEqual([])

  expect(performance.now() - startedMs).toBeLessThan(2000)
})
