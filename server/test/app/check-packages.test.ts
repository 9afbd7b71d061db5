import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fixedPage } from '../../../test/lab/pages/page.ts'
import { startServerProcess, type ServerProcess } from '../../../test/lab/server-process.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { repository } from '../../../test/lab/source-tree.ts'
import { makePdf } from '../scrape/parse/make-pdf.ts'

function without(...names: readonly string[]): Readonly<Record<string, string>> {
  return {
    NODE_OPTIONS: `--import ${pathToFileURL(join(repository, 'test/lab/without-packages.mjs')).href}`,
    HIDDEN_PACKAGES: names.join(','),
  }
}

const tracing = [
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
] as const

const playwright = ['@playwright/test', 'playwright', 'playwright-core'] as const

const optional = [
  '@aws-sdk/client-s3',
  '@duckduckgo/autoconsent',
  '@fastify/swagger-ui',
  '@ghostery/adblocker',
  '@llamaindex/liteparse',
  '@modelcontextprotocol/server',
  ...tracing,
  'classic-level',
  'nodemailer',
  ...playwright,
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
    const { url } = fixture.use(await (await sharedPostgres()).createDatabase())
    server = fixture.use(await startServerProcess({ dataDir, env: { DATABASE_URL: url, ...without(...optional) } }))
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
      install:
        'npm install @duckduckgo/autoconsent @fastify/swagger-ui @llamaindex/liteparse @modelcontextprotocol/server classic-level playwright-core',
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

  test('responds to /mcp with the install command', async () => {
    const { status, body } = await server.api('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' })

    expect({ status, body }).toMatchObject({
      status: 501,
      body: {
        code: 'PACKAGE_MISSING',
        error:
          'Install @modelcontextprotocol/server and playwright-core to use /mcp: ' +
          'npm install @modelcontextprotocol/server playwright-core',
      },
    })
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
  { hidden: [], names: /docs +http:\S+\/docs\n/ },
  {
    hidden: ['@fastify/swagger-ui'],
    names: /docs +http:\S+\/openapi\.json; for a page to read and try the API: npm install @fastify\/swagger-ui\n/,
  },
])('the output of a start names documentation that is there (not installed: $hidden)', async ({ hidden, names }) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-optional-'))
  await using database = await (await sharedPostgres()).createDatabase()
  const flags = ['serve', '--port', '0', '--data-dir', folder.path, '--warm', '0', '--log-level', 'error']
  const server = spawn(process.execPath, [join(repository, 'src/cli/main.ts'), ...flags], {
    env: { ...process.env, ...without(...hidden), DATABASE_URL: database.url, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(server, 'exit')

  const [output] = (await Promise.race([once(server.stdout, 'data'), exited])) as [Buffer | number]
  server.kill('SIGTERM')
  await exited

  expect(String(output)).toMatch(names)
})

/** Starts a server with each of the settings. Prints the errors. */
const starts = `
const [app, config, settings] = process.argv.slice(1)
const [{ startConfigured }, { parseConfig }] = await Promise.all([import(app), import(config)])
const errors = []
for (const each of JSON.parse(settings)) {
  const starting = startConfigured(parseConfig(each))
  errors.push(await starting.then((server) => server[Symbol.asyncDispose](), ({ code, message }) => ({ code, message })))
}
console.log(JSON.stringify(errors))
`

test('a server configured for a missing package does not start', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-optional-'))
  await using database = await (await sharedPostgres()).createDatabase()
  const mail = { smtpUrl: 'smtp://127.0.0.1:9', mailFrom: 'bowline@example.com', publicUrl: 'http://127.0.0.1:9' }
  const cases = [
    ['@aws-sdk/client-s3', '`--blobs s3://…`', { blobs: 's3://bucket?endpoint=http://127.0.0.1:9' }],
    ['@ghostery/adblocker', '`--ad-lists`', { adLists: ['http://127.0.0.1:9/list.txt'] }],
    ['nodemailer', '`--smtp-url`', mail],
  ] as const
  const common = { port: 0, dataDir: folder.path, databaseUrl: database.url, warm: 0, logLevel: 'silent' }
  const traces = { otlpEndpoint: 'http://127.0.0.1:9' }
  const settings = [...cases.map(([, , options]) => options), traces].map((options) =>
    Object.assign({}, common, options),
  )
  const modules = ['server/src/app.ts', 'server/src/config.ts'].map((path) => join(repository, path))

  const args = ['--input-type=module', '-e', starts, ...modules, JSON.stringify(settings)]
  const env = { ...process.env, ...without(...cases.map(([name]) => name), ...tracing) }
  const { stdout } = await promisify(execFile)(process.execPath, args, { env })

  expect(JSON.parse(stdout)).toEqual([
    ...cases.map(([name, purpose]) => ({
      code: 'PACKAGE_MISSING',
      message: `Install ${name} to use ${purpose}: npm install ${name}`,
    })),
    { code: 'PACKAGE_MISSING', message: expect.stringContaining(`: npm install ${tracing.join(' ')}`) },
  ])
})

test('without @llamaindex/liteparse, a PDF is read as plain text', async () => {
  const script = join(repository, 'server/src/scrape/parse/pdf/pdf-process.ts')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const child = execFile(
    process.execPath,
    [script, JSON.stringify({ reader: 'liteparse', kind: 'pdf', mode: 'auto', maxPages: 10, language: 'eng' })],
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
