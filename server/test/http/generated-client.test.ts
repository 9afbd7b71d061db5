import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startLab } from '../../../test/lab/lab.ts'
import { startSite } from '../../../test/lab/site.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const generator = join(dirname(createRequire(import.meta.url).resolve('openapi-typescript')), '../bin/cli.js')

const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  module: 'nodenext',
  target: 'es2024',
  allowImportingTsExtensions: true,
  erasableSyntaxOnly: true,
  skipLibCheck: true,
  types: ['node'],
  noEmit: true,
}

/** A program as users of the generator write it. Its output shows which calls succeeded. */
const program = `
import createClient from 'openapi-fetch'
import type { components, paths } from './api.ts'

const [baseUrl = '', key = '', site = ''] = process.argv.slice(2)
const client = createClient<paths>({ baseUrl, headers: { authorization: 'Bearer ' + key } })

const created = await client.POST('/v2/browser', { body: { ttl: 60, profile: { name: 'generated' } } })
if (created.error !== undefined) throw new Error(created.error.error)
const cdpUrl: string = created.data.cdpUrl
const path = { id: created.data.id }
const listed = await client.GET('/v2/browser', { params: { query: { status: 'active', limit: 5 } } })
const sessions: components['schemas']['SessionSummary'][] = listed.data?.sessions ?? []
const deleted = await client.DELETE('/v2/browser/{id}', { params: { path } })

const formats: components['schemas']['Format'][] = ['markdown', { type: 'links' }]
const request: components['schemas']['ScrapeRequest'] = { url: site + '/', formats, actions: [{ type: 'wait', milliseconds: 1 }] }
const scraped = await client.POST('/v2/scrape', { body: request })
const page: components['schemas']['Document'] | undefined = scraped.data?.success ? scraped.data.data : undefined
const mapped = await client.POST('/v2/map', { body: { url: site + '/', limit: 3 } })

const batch = await client.POST('/v2/batch/scrape', { body: { urls: [site + '/'], maxAge: 0 } })
const id = batch.data?.id ?? ''
let status = await client.GET('/v2/batch/scrape/{id}', { params: { path: { id } } })
while (status.data?.status === 'scraping') status = await client.GET('/v2/batch/scrape/{id}', { params: { path: { id } } })

// @ts-expect-error -- a format that does not exist
const refused = await client.POST('/v2/scrape', { body: { url: site + '/', formats: ['poem'] } })
const failure: components['schemas']['Failure'] | undefined = refused.error

console.log(JSON.stringify({
  cdpUrl,
  listed: sessions.some((session) => session.id === path.id),
  billed: deleted.data?.creditsBilled,
  markdown: page?.markdown,
  links: page?.links?.length,
  mapped: mapped.data?.links[0]?.url,
  batch: [status.data?.status, status.data?.data[0]?.metadata.statusCode],
  failure: failure?.code,
}))
`

test(
  'a client generated from the OpenAPI document compiles strictly and calls the server',
  { timeout: 120_000 },
  async () => {
    await using undo = new AsyncDisposableStack()
    const [lab, site] = [undo.use(await startLab()), undo.use(await startSite())]
    const folder = await mkdtemp(join(tmpdir(), 'bowline-generated-'))
    undo.defer(async () => rm(folder, { recursive: true, force: true }))
    const inFolder = (name: string) => join(folder, name)
    const document = JSON.stringify((await lab.api('GET', '/openapi.json', undefined, {})).body)
    await Promise.all([
      symlink(join(root, 'node_modules'), inFolder('node_modules')),
      writeFile(inFolder('openapi.json'), document),
      writeFile(inFolder('package.json'), '{ "type": "module" }'),
      writeFile(inFolder('tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] })),
      writeFile(inFolder('program.ts'), program),
    ])

    // Fields with a default are optional in requests, although the generator assumes otherwise.
    const options = ['--default-non-nullable=false', '--output', inFolder('api.ts')]
    await run(process.execPath, [generator, inFolder('openapi.json'), ...options])
    const compiled = await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder, '--singleThreaded']).catch(
      (error: unknown) => error,
    )
    const args = [inFolder('program.ts'), lab.server.url, lab.server.apiKey, site.url('')]
    const { stdout } = await run(process.execPath, args)

    expect(compiled).toMatchObject({ stdout: '' })
    expect(JSON.parse(stdout)).toEqual({
      cdpUrl: expect.stringMatching(/^ws:/),
      listed: true,
      billed: expect.any(Number),
      markdown: expect.any(String),
      links: expect.any(Number),
      mapped: expect.stringContaining(site.url('')),
      batch: ['completed', 200],
      failure: 'BAD_REQUEST',
    })
  },
)
