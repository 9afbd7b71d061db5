import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Bowline } from '../../../src/index.ts'
import { runCommand } from '../../../test/lab/run-command.ts'
import { startSite } from '../../../test/lab/site.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { encode } from '../scrape/fetch/encode.ts'
import { docx, paragraph } from '../scrape/documents/office-files.ts'
import { startLab, type Answer, type Lab } from '../../../test/lab/lab.ts'

let lab: Lab
beforeAll(async () => {
  lab = await startLab()
})
afterAll(async () => lab[Symbol.asyncDispose]())

type Content = string | Buffer

async function post(body: FormData | Content, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const response = await fetch(new URL('/v2/parse', lab.server.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${lab.server.apiKey}`, ...headers },
    body: typeof body === 'string' || body instanceof FormData ? body : new Uint8Array(body),
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] }
}

async function parse(name: string, content: Content, options?: unknown, type?: string): Promise<Answer> {
  const form = new FormData()
  if (options !== undefined) form.set('options', typeof options === 'string' ? options : JSON.stringify(options))
  const blob = new Blob([typeof content === 'string' ? content : new Uint8Array(content)], type ? { type } : {})
  form.set('file', blob, name)
  return post(form)
}

test.each<[string, string, string]>([
  [
    'table.csv',
    'Name;Note\nAda;"a ""b""\nc"\nBob;\n',
    '| Name | Note |\n| --- | --- |\n| Ada | a "b"<br>c |\n| Bob |  |',
  ],
  ['page.HTM', '<nav>Menu</nav><h1>Ünder</h1><p>Text <a href="/a">link</a></p>', '# Ünder\n\nText [link]('],
  ['notes.txt', 'plain *text*\n', 'plain *text*'],
])('parses %s', async (name, content, markdown) => {
  const { status, body } = await parse(name, content)

  expect([status, body['success']]).toEqual([200, true])
  expect(body['data'].markdown).toContain(markdown)
  expect(body['data'].metadata).toMatchObject({ sourceURL: name, creditsUsed: 1, numPages: 1, totalPages: 1 })
})

test('is listed in the activity with the name of the file, also if the file is broken', async () => {
  const { body } = await parse('listed.csv', 'a;b\n1;2\n')
  await parse('broken.docx', 'no zip')

  const { body: activity } = await lab.api('GET', '/v2/team/activity?endpoint=scrape')

  const [broken, listed] = activity['data']
  expect(listed).toMatchObject({ id: body['data'].metadata.scrapeId, target: 'listed.csv' })
  expect(broken).toMatchObject({ target: 'broken.docx', error: 'DOCUMENT_INVALID' })
})

test('makes every format of a file, counts its pages and stores the scrape', async () => {
  const html = '<html lang="de"><title>A report</title><p>Text <a href="https://a.test/x">x</a></p></html>'
  const { body } = await parse('report.html', html, { formats: ['links', 'html', 'rawHtml'], origin: 'test' })

  const { links, html: cleaned, rawHtml, markdown, metadata } = body['data']
  expect([links, rawHtml, markdown]).toEqual([['https://a.test/x'], html, undefined])
  expect(cleaned).toContain('<p>Text <a href="https://a.test/x">x</a></p>')
  expect(metadata).toMatchObject({ title: 'A report', language: 'de', numPages: 1, totalPages: 1 })
  const { body: stored } = await lab.api('GET', `/v2/scrape/${metadata.scrapeId}`)
  expect(stored['data'].links).toEqual(links)
})

test('leaves relative links of a file as they are', async () => {
  const html =
    '<p><a href="next page.html#two">next</a> <a href="#part">part</a> <a href="https://a.test/x">x</a></p>' +
    '<img src="img/boat.png" alt="boat">'
  const formats = ['markdown', 'links', 'images', 'html']
  const { body } = await parse('report.html', html, { formats })
  const { body: based } = await parse('based.html', `<base href="https://b.test/dir/">${html}`, { formats: ['links'] })

  expect(body['data']).toMatchObject({
    markdown: '[next](next%20page.html#two) [part](#part) [x](https://a.test/x)\n\n![boat](img/boat.png)\n',
    links: ['next page.html#two', 'https://a.test/x'],
    images: ['img/boat.png'],
    html: expect.stringContaining('<a href="next page.html#two">'),
  })
  expect(body['data'].metadata).not.toHaveProperty('url')
  expect(body['data'].metadata).not.toHaveProperty('favicon')
  expect(based['data'].links).toContain('https://b.test/dir/next%20page.html#two')
})

test('finds the format by the MIME type if the name has no extension', async () => {
  const { body } = await parse('upload', 'a,b\n1,2', undefined, 'text/csv')

  expect(body['data'].markdown).toContain('| a | b |')
})

test('decodes CSV in the charset of its MIME type', async () => {
  const { body } = await parse(
    'prices.csv',
    encode('name,€\nmañana,1', 'iso-8859-15'),
    {},
    'text/csv; charset=ISO-8859-15',
  )

  expect(body['data'].markdown).toContain('| name | € |')
})

test.each<[string, unknown, string, string]>([
  ['actions', { actions: [{ type: 'wait', milliseconds: 1 }] }, 'PARSE_UNSUPPORTED_OPTIONS', 'do not support actions.'],
  ['a screenshot', { formats: ['screenshot@fullPage'] }, 'PARSE_UNSUPPORTED_OPTIONS', 'screenshot'],
  ['branding', { formats: [{ type: 'branding' }] }, 'PARSE_UNSUPPORTED_OPTIONS', 'branding'],
  ['changeTracking', { formats: ['markdown', 'changeTracking'] }, 'PARSE_UNSUPPORTED_OPTIONS', 'changeTracking'],
  ['rawBase64', { formats: ['rawBase64'] }, 'PARSE_UNSUPPORTED_OPTIONS', 'not supported for parse uploads'],
  ['waitFor', { waitFor: 1 }, 'PARSE_UNSUPPORTED_OPTIONS', 'waitFor'],
  ['a location', { location: { country: 'DE' } }, 'PARSE_UNSUPPORTED_OPTIONS', 'location'],
  ['mobile', { mobile: true }, 'PARSE_UNSUPPORTED_OPTIONS', 'mobile'],
  ['a proxy', { proxy: 'enhanced' }, 'PARSE_UNSUPPORTED_OPTIONS', 'proxy values of auto or basic.'],
  ['an unknown option', { formatz: [] }, 'BAD_REQUEST', 'formatz'],
  ['an array', '[]', 'BAD_REQUEST', "The 'options' field must parse to a JSON object."],
  ['malformed JSON', '{', 'BAD_REQUEST', "Invalid JSON in the 'options' field. Provide a valid JSON string."],
])('refuses %s in the options', async (_name, options, code, text) => {
  const { status, body } = await parse('a.csv', 'a,b', options)

  expect([status, body['code']]).toEqual([400, code])
  expect(body['error']).toContain(text)
})

test.each<[string, Content, Readonly<Record<string, string>>, RegExp]>([
  ['without a file', new FormData() as never, {}, /^Missing file upload. Send multipart/],
  ['of another type', 'text', { 'content-type': 'text/plain' }, /^Missing file upload/],
  ['of JSON without a reference', '{}', { 'content-type': 'application/json' }, /^Missing file upload/],
  ['without its boundary', 'x', { 'content-type': 'multipart/form-data; boundary=b' }, /does not contain its boundary/],
  ['without a boundary', 'x', { 'content-type': 'multipart/form-data' }, /has no `boundary`/],
  [
    'that is cut',
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\na,b',
    { 'content-type': 'multipart/form-data; boundary=b' },
    /ends within a part/,
  ],
])('refuses a body %s', async (_name, body, headers, message) => {
  const answer = await post(body, headers)

  expect([answer.status, answer.body['code']]).toEqual([400, 'BAD_REQUEST'])
  expect(answer.body['error']).toMatch(message)
})

test.each([
  [{ headers: { a: 'b' }, profile: { name: 'x' } }, 'Not applied, because a file was uploaded: `headers`, `profile`.'],
  [{ headers: {}, lockdown: false, onlyMainContent: false }, undefined],
])('the options %j have the warning %j', async (options, warning) => {
  const { status, body } = await parse('notes.txt', 'plain', options)

  expect([status, body['data']['warning']]).toEqual([200, warning])
})

test.each([
  [[['formats', '["html"]']], 'The form has the unknown field "formats"'],
  [[['file', new Blob(['second'])]], 'The form has several fields with the name "file". Send one'],
  [
    [
      ['options', '{}'],
      ['options', '{}'],
    ],
    'The form has several fields with the name "options". Send one',
  ],
] as const)('refuses a form with %j beside its file', async (fields, message) => {
  const form = new FormData()
  form.set('file', new Blob(['first']), 'notes.txt')
  for (const [name, value] of fields) form.append(name, value)

  expect(await post(form)).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', error: expect.stringContaining(message) },
  })
})

test('refuses unknown formats, and names a newer one for old formats', async () => {
  const unknown = await parse('a.exe', 'MZ')
  const old = await parse('a.doc', 'text')

  expect([unknown.status, unknown.body['code']]).toEqual([400, 'UNSUPPORTED_FILE_TYPE'])
  expect(unknown.body['error']).toMatch(/^Unsupported upload type. Supported file extensions: .html, /)
  expect([old.body['code'], old.body['hint']]).toEqual([
    'UNSUPPORTED_FILE_TYPE',
    'Save the file in a newer format, such as .docx.',
  ])
})

test('refuses files over 50 MB', async () => {
  const { status, body } = await parse('a.csv', Buffer.alloc(50 * 1024 * 1024 + 1, 'a'))

  expect([status, body['code'], body['error']]).toEqual([
    400,
    'BAD_REQUEST',
    'Uploaded file exceeds maximum size of 50MB.',
  ])
})

test('lists the formats', async () => {
  const { body } = await lab.api('GET', '/v2/parse/formats')

  const { formats } = body['data']
  expect(formats).toContainEqual({
    format: 'csv',
    kind: 'document',
    extensions: ['.csv'],
    mimeTypes: ['text/csv', 'application/csv'],
    available: true,
  })
})

test('the client and the command line parse local files', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'report.docx')
  await writeFile(path, docx(paragraph('Hello', '<w:outlineLvl w:val="0"/>') + paragraph('all')))
  const { url: baseUrl, apiKey } = lab.server
  const bowline = new Bowline({ baseUrl, apiKey })

  const { markdown, metadata } = await bowline.parse(path)
  const { html } = await bowline.parse(new File(['<p>x</p>'], 'x.html'), { formats: ['html'] })
  const { out } = await runCommand(['parse', path, '--format', 'markdown'], {
    env: { BOWLINE_BASE_URL: baseUrl, BOWLINE_API_KEY: apiKey },
  })

  expect([markdown, metadata['sourceURL'], html]).toEqual([
    '# Hello\n\nall\n',
    'report.docx',
    expect.stringContaining('<p>x</p>'),
  ])
  expect(out).toBe('# Hello\n\nall')
  await expect(bowline.parse(new File([''], 'x.docx'))).rejects.toMatchObject({ code: 'DOCUMENT_INVALID', status: 422 })
  await expect(bowline.parse(path, { formatz: [] } as never)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})

test('scrapes documents by the content type or the extension in their URL, also from the cache', async () => {
  const serve =
    (type: string) =>
    ({ response }: { readonly response: ServerResponse }) => {
      response.setHeader('content-type', type)
      response.end(docx(paragraph('Page')))
    }
  await using site = await startSite({
    '/a': serve('application/vnd.openxmlformats-officedocument.wordprocessingml.document'),
    '/report.docx/1f3a': serve('application/octet-stream'),
  })
  const scrape = async (path: string, formats: readonly string[]): Promise<Answer['body']> =>
    (await lab.api('POST', '/v2/scrape', { url: site.url(path), formats })).body['data']

  const answers = [await scrape('/a', ['markdown']), await scrape('/report.docx/1f3a', ['markdown'])]
  const cached = await scrape('/a', ['html'])

  expect(answers.map(({ markdown, metadata }) => [markdown, metadata.numPages])).toEqual([
    ['Page\n', 1],
    ['Page\n', 1],
  ])
  expect([cached['metadata'].cacheState, cached['metadata'].numPages]).toEqual(['hit', 1])
})

test('parses a file that was uploaded before, without an API key and once, also if the storage failed', async () => {
  const { body } = await lab.api('POST', '/v2/parse/upload-url', { filename: 'a.csv', contentType: 'text/csv' })
  const { uploadUrl, uploadRef, method, headers } = body['data']
  const put = async (url = uploadUrl): Promise<readonly unknown[]> => {
    const response = await fetch(url, { method, headers, body: 'a,b' })
    return [response.status, ((await response.json()) as Answer['body'])['error']]
  }
  const take = async (ref = uploadRef, who?: Record<string, string>): Promise<Answer> =>
    lab.api(
      'POST',
      '/v2/parse',
      { uploadRef: ref, formats: ['markdown'] },
      who && { 'content-type': 'application/json', ...who },
    )
  const { body: other } = await lab.api('POST', '/v2/team/keys', { team: 'other' })

  const early = await take()
  const refused = [
    await put(uploadUrl.replace(/upload\/[^?]+/, 'upload/0191e0a2-0000-7000-8000-000000000000')),
    await put(`${uploadUrl}x`),
    await put(uploadUrl.split('?')[0]),
  ]
  const [folder, aside] = [join(lab.dataDir, 'blobs/parse-uploads'), join(lab.dataDir, 'aside')]
  await rm(folder, { recursive: true, force: true })
  await writeFile(folder, 'not a folder')
  const [failedUpload] = await put()
  await rm(folder)
  const uploads = [await put(), await put()]
  const foreign = await take(uploadRef, { authorization: `Bearer ${other['key']}` })
  const forged = await take(`${uploadRef}x`)
  await rename(folder, aside)
  const failedParse = await take()
  await rename(aside, folder)
  const parsed = await take()
  const again = await take()

  expect([early.status, early.body['error']]).toEqual([
    400,
    'Uploaded file is not available. Upload the file before parsing.',
  ])
  expect(refused).toEqual([
    [400, 'uploadRef does not match this upload URL.'],
    [400, 'Invalid uploadRef signature.'],
    [400, 'Invalid uploadRef signature.'],
  ])
  expect(uploads).toEqual([
    [200, undefined],
    [404, 'Upload URL not found or expired.'],
  ])
  expect([foreign.status, foreign.body['error']]).toEqual([403, 'uploadRef does not belong to the authenticated team.'])
  expect(forged.body['error']).toBe('Invalid uploadRef signature.')
  expect(parsed.body['data']).toMatchObject({
    markdown: expect.stringContaining('| a | b |'),
    metadata: { sourceURL: 'a.csv' },
  })
  expect([failedUpload, failedParse.status, again.status]).toEqual([500, 500, 400])
  expect(await readdir(folder)).toEqual([])
})

test('refuses the eleventh upload that is not parsed, and unknown formats', async () => {
  const { body } = await lab.api('POST', '/v2/team/keys', { team: 'uploading' })
  const who = { authorization: `Bearer ${body['key']}`, 'content-type': 'application/json' }
  const create = async (filename: string): Promise<Answer> => lab.api('POST', '/v2/parse/upload-url', { filename }, who)

  const unknown = await create('a.exe')
  const created = await Promise.all(Array.from({ length: 11 }, async (_, index) => create(`${index}.csv`)))

  expect(unknown.body['code']).toBe('UNSUPPORTED_FILE_TYPE')
  expect(created.filter(({ status }) => status === 200)).toHaveLength(10)
  expect(created.find(({ status }) => status !== 200)).toMatchObject({
    status: 429,
    body: { code: 'PARSE_UPLOAD_UNPARSED_LIMIT_REACHED' },
  })
})
