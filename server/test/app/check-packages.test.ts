import { execFile } from 'node:child_process'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fixedPage } from '../../../test/lab/pages/page.ts'
import { startServerProcess, type ServerProcess } from '../../../test/lab/server-process.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { repository } from '../../../test/lab/source-tree.ts'
import { makePdf } from '../scrape/parse/make-pdf.ts'

function without(...names: readonly string[]): Readonly<Record<string, string>> {
  return {
    NODE_OPTIONS: `--import ${pathToFileURL(join(repository, 'test/lab/without-packages.mjs')).href}`,
    HIDDEN_PACKAGES: names.join(','),
  }
}

const optional = [
  '@aws-sdk/client-s3',
  '@duckduckgo/autoconsent',
  '@fastify/swagger-ui',
  '@ghostery/adblocker',
  '@llamaindex/liteparse',
  'classic-level',
  'nodemailer',
] as const

const banner = `<h1>News</h1><p>The harbour was quiet.</p>
  <div class="cookie-banner" style="position:fixed;bottom:0"><p>We use cookies.</p><button>Reject all</button></div>`

describe('a server without optional packages', () => {
  const fixture = new AsyncDisposableStack()
  let server: ServerProcess
  let site: Site
  beforeAll(async () => {
    const { path: dataDir } = fixture.use(await mkdtempDisposable(join(tmpdir(), 'bowline-optional-')))
    site = fixture.use(
      await startSite({ '/banner': fixedPage('News', banner), '/plain': fixedPage('News', '<h1>News</h1>') }),
    )
    server = fixture.use(await startServerProcess({ dataDir, env: without(...optional) }))
  })
  afterAll(async () => fixture.disposeAsync())

  const scrape = async (path: string) =>
    server.api('POST', '/v2/scrape', { url: site.url(path), waitFor: 1, onlyMainContent: false })

  test('starts, and warns about disabled features with the install command', () => {
    const line = server
      .log()
      .split('\n')
      .find((each) => each.includes('optional packages'))

    expect(JSON.parse(line ?? '{}')).toMatchObject({
      effects: expect.arrayContaining(['/docs returns 501; /openapi.json works']),
      install: 'npm install @duckduckgo/autoconsent @fastify/swagger-ui @llamaindex/liteparse classic-level',
    })
  })

  test('responds to /docs with the install command, and still serves the OpenAPI document', async () => {
    const [docs, document] = await Promise.all([server.api('GET', '/docs'), server.api('GET', '/openapi.json')])

    expect(docs.status).toBe(501)
    expect(docs.body).toMatchObject({
      code: 'PACKAGE_MISSING',
      error: 'Install @fastify/swagger-ui to use /docs: npm install @fastify/swagger-ui',
    })
    expect(document.body['paths']).toHaveProperty(['/v2/scrape'])
  })

  test('removes a cookie banner from a page without rejecting it, with a warning', async () => {
    const { status, body } = await scrape('/banner')

    expect(status).toBe(200)
    expect(body['data'].markdown).toContain('The harbour was quiet.')
    expect(body['data'].markdown).not.toContain('We use cookies')
    expect(body['data'].warning).toBe(
      'The cookie consent banner of the page was removed without an answer. ' +
        'Install @duckduckgo/autoconsent to use cookie rejection: npm install @duckduckgo/autoconsent.',
    )
  })

  test('scrapes a page without a cookie banner without a warning', async () => {
    const { body } = await scrape('/plain')

    expect(body['data'].markdown).toContain('News')
    expect(body['data'].warning).toBeUndefined()
  })

  test('rejects the export of a profile before it starts a session', async () => {
    const state = { cookies: [], origins: [] }
    const imported = await server.api('PUT', '/v2/browser/profiles/shop/storage-state', state)
    const { status, body } = await server.api('GET', '/v2/browser/profiles/shop/storage-state')

    expect(imported.status).toBe(200)
    expect({ status, body }).toMatchObject({ status: 501, body: { code: 'PACKAGE_MISSING' } })
  })
})

test.each([
  ['@aws-sdk/client-s3', '`--blobs s3://…`', ['--blobs', 's3://bucket?endpoint=http://127.0.0.1:9']],
  ['@ghostery/adblocker', '`--ad-lists`', ['--ad-lists', 'http://127.0.0.1:9/list.txt']],
  [
    'nodemailer',
    '`--smtp-url`',
    ['--smtp-url', 'smtp://127.0.0.1:9', '--mail-from', 'bowline@example.com', '--public-url', 'http://127.0.0.1:9'],
  ],
])('without %s, a server configured with %s does not start', async (name, purpose, flags) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-optional-'))

  const starting = startServerProcess({
    dataDir: folder.path,
    flags: ['--log-level', 'silent', ...flags],
    env: without(name),
  })

  const { message } = await starting.then(
    () => new Error('It started'),
    (error: Error) => error,
  )
  expect(message).toContain('exited with 3')
  expect(message).toContain(`Install ${name} to use ${purpose}: npm install ${name}`)
})

test('without @llamaindex/liteparse, a PDF is read as plain text', async () => {
  const script = join(repository, 'server/src/scrape/parse/pdf/pdf-process.ts')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const child = execFile(
    process.execPath,
    [script, 'liteparse', '0'],
    { env: without('@llamaindex/liteparse') },
    (error, out) => (error === null ? resolve(out) : reject(error)),
  )
  child.stdin?.end(makePdf([[{ size: 28, text: 'Annual report' }]]))

  expect(JSON.parse(await promise)).toMatchObject({
    kind: 'read',
    pages: [{ pageNumber: 1, markdown: 'Annual report' }],
    totalPages: 1,
  })
})
