import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLab, type Lab } from '../lab/lab.ts'
import { startModel, type Model } from '../lab/language-model.ts'
import { fixedPage } from '../lab/pages/page.ts'
import { runCommand } from '../lab/run-command.ts'
import { startSite, type Site } from '../lab/site.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let site: Site
let home: string
let model: Model

beforeAll(async () => {
  model = fixture.use(await startModel(() => '{"boats":2}'))
  lab = fixture.use(await startLab({ llmUrl: model.url }))
  site = fixture.use(await startSite({ '/boats': fixedPage('Boats', '<h1>Boats</h1><p>They are made of wood.</p>') }))
  home = fixture.use(await mkdtempDisposable(join(tmpdir(), 'home-'))).path
  await lab.api('POST', '/v2/scrape', { url: site.url('/boats') })
})

afterAll(async () => fixture.disposeAsync())

async function run(...args: readonly string[]) {
  return runCommand(args, { env: { HOME: home, BOWLINE_DATA_DIR: lab.dataDir } })
}

test('search prints one JSON line per result when piped, and notes on standard error', async () => {
  const { code, lines, errors } = await run(
    'search',
    'boats',
    'wood',
    '--scrape',
    'markdown',
    '--location',
    'Berlin, Germany',
  )

  expect(code, errors).toBe(0)
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ url: site.url('/boats'), title: 'Boats', markdown: expect.stringContaining('# Boats') }),
  ])
  expect(errors).toContain('does not support locations')
})

test('search --json prints the whole response', async () => {
  const { lines } = await run('search', 'boats', '--json', '--limit', '1')

  expect(JSON.parse(lines.join('\n'))).toMatchObject({ id: expect.any(String), web: [{ title: 'Boats' }] })
})

test('search rejects an invalid time filter', async () => {
  const { code, errors } = await run('search', 'boats', '--tbs', 'soon')

  expect(code).toBe(2)
  expect(errors).toMatch(/^BAD_REQUEST: Invalid request body \(.*qdr:d/)
})

test('extract prints the data, and reads the schema from a file', async () => {
  const file = join(home, 'schema.json')
  await writeFile(file, '{"type":"object","properties":{"boats":{"type":"number"}}}')

  const { code, lines, errors } = await run('extract', site.url('/boats'), 'ftp://a.example', '--schema', file)

  expect(code, errors).toBe(0)
  expect(JSON.parse(lines.join('\n'))).toEqual({ boats: 2 })
  expect(errors).toContain('Skipped ftp://a.example: not a valid URL')
  expect(model.questions.at(-1)?.response_format.type).toBe('json_schema')
})

test('extract reports an unreadable schema', async () => {
  const { code, errors } = await run('extract', site.url('/boats'), '--schema', join(home, 'nothing.json'))

  expect(code).toBe(3)
  expect(errors).toMatch(/^CONFIG_INVALID: Cannot read .*nothing\.json as a JSON Schema/)
})
