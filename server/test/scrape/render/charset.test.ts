import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rendererPids } from '../../../../test/lab/browser-processes.ts'
import type { Page } from '../../../../test/lab/pages/page.ts'
import { encode, texts } from '../fetch/encode.ts'
import { startScrapeFixture, type ScrapeFixture } from '../fixture.ts'

type Language = keyof typeof texts

/** Serves a text in the language and the encoding of the query, which it does not declare. */
function unlabelled(type: string, write: (text: string, crossOrigin: string) => string): Page {
  return ({ response, url, crossOrigin }) => {
    const [language, encoding] = url.search.slice(1).split('&') as [Language, string]
    const text = write(texts[language], crossOrigin)
    response.setHeader('content-type', type).setHeader('content-encoding', 'gzip')
    const bytes = encoding.startsWith('utf') ? Buffer.from(text, encoding as BufferEncoding) : encode(text, encoding)
    response.end(gzipSync(bytes))
  }
}

/** Requests for `/crashing`. The second one, which reloads the page, crashes its tab. */
let crashingRequests = 0

let fixture: ScrapeFixture
beforeAll(async () => {
  fixture = await startScrapeFixture(
    {},
    {
      '/page': unlabelled(
        'text/html',
        (text, crossOrigin) =>
          `<title>${text.slice(0, 20)}</title><main><h1>${text}</h1></main><script src="${crossOrigin}/lang.js"></script>`,
      ),
      '/style': unlabelled('text/css', (text) => `/* ${text} */`),
      '/text': unlabelled('text/plain', (text) => text),
      '/crashing': ({ response }) => {
        crashingRequests += 1
        if (crashingRequests === 2) for (const pid of rendererPids(fixture.lab.dataDir)) process.kill(pid, 'SIGKILL')
        response.setHeader('content-type', 'text/html')
        response.end(encode(`<h1>${texts.polish}</h1>`, 'iso-8859-2'))
      },
      '/lang.js': ({ response }) => {
        response.setHeader('content-type', 'text/javascript')
        response.end('document.documentElement.lang = "xx"')
      },
    },
  )
})
afterAll(async () => fixture[Symbol.asyncDispose]())

describe('a rendered page that declares no charset has the text of the fetched page', () => {
  test.each<[string, Language, string, Readonly<Record<string, unknown>>]>([
    ['/page', 'russian', 'windows-1251', {}],
    ['/page', 'russian', 'utf-8', {}],
    ['/style', 'russian', 'utf-16le', {}],
    ['/page', 'japanese', 'shift_jis', {}],
    ['/page', 'polish', 'iso-8859-2', {}],
    ['/page', 'thai', 'utf-8', { headers: { 'x-team': 'blue' } }],
    ['/text', 'greek', 'windows-1253', {}],
    ['/text', 'korean', 'utf-8', {}],
    ['/style', 'korean', 'utf-8', {}],
  ])('%s in %s, %s', async (path, language, encoding, options) => {
    const url = `${path}?${language}&${encoding}`
    const fetched = await fixture.read(url, options)
    const rendered = await fixture.read(url, { waitFor: 1, ...options })

    expect(fetched['markdown']).toContain(texts[language])
    expect(rendered['markdown']).toBe(fetched['markdown'])
    const { title, contentType } = fetched['metadata']
    expect(rendered['metadata']).toMatchObject({ contentType, ...(path === '/page' && { title, language: 'xx' }) })
  })
})

test('a page whose tab crashes while it is reloaded with its charset is opened again', async () => {
  const { markdown } = await fixture.read('/crashing', { waitFor: 1 })

  expect(markdown).toContain(texts.polish)
  expect(crashingRequests).toBe(4)
})
