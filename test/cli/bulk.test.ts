import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProgram } from '../client/program.ts'
import { runCommand } from '../lab/run-command.ts'
import { startJobFixture, type JobFixture } from '../../server/test/jobs/fixture.ts'

let fixture: JobFixture
beforeAll(async () => {
  fixture = await startJobFixture('PostgreSQL')
})
afterAll(async () => fixture[Symbol.asyncDispose]())

async function run(...args: readonly string[]) {
  return runOn(undefined, ...args)
}

/** Runs the command line with standard input. */
async function runOn(input: string | undefined, ...args: readonly string[]) {
  return runCommand(args, { env: { BOWLINE_DATA_DIR: fixture.lab.dataDir }, input })
}

test('bowline batch reads URLs from a file and prints one JSON document per line when piped', async () => {
  const { lab, site, urls } = fixture
  const file = join(lab.dataDir, 'urls.txt')
  await writeFile(file, ['# pages', ...urls(2), '', 'nonsense', site.url('/broken')].join('\n'))

  const { code, lines, errors } = await run('batch', '--file', file, '--format', 'links', '--concurrency', '1')

  const documents = lines.map((line) => JSON.parse(line) as { links: unknown; metadata: { sourceURL: string } })
  expect(documents.map(({ metadata }) => metadata.sourceURL)).toEqual(urls(2))
  expect(documents[0]?.links).toEqual([])
  expect(errors).toContain(`SCRAPE_SITE_ERROR  ${site.url('/broken')}`)
  expect(errors).toContain('invalid URL, skipped  nonsense')
  expect(errors).toContain('2 pages, 1 failed, 2 credits')
  expect(errors).not.toContain('GET /v2')
  expect(code).toBe(1)
})

test('--json prints the whole result, `-` reads standard input, and failed pages set the exit code', async () => {
  const page = fixture.site.url('/page?n=7')
  const { code, lines } = await run('crawl', page, '--sitemap', 'skip', '--json')
  const partly = await runOn(`# pages\n${page}\n`, 'batch', '-', 'nonsense', '--json')

  expect(code).toBe(0)
  expect(JSON.parse(lines.join('\n'))).toMatchObject({ status: 'completed', documents: [{ markdown: '# Page 7\n' }] })
  expect(JSON.parse(partly.lines.join('\n'))).toMatchObject({ completed: 1, invalidUrls: ['nonsense'] })
  expect(partly.code).toBe(1)
})

test('bowline batch and crawl continue with the job of the same --idempotency-key', async () => {
  const page = fixture.site.url('/page?n=8')
  const idOf = async (...args: readonly string[]): Promise<unknown> => {
    const { lines } = await run(...args, '--json')
    return (JSON.parse(lines.join('\n')) as { id: unknown }).id
  }
  const batch = ['batch', page, '--idempotency-key', 'a batch']
  const crawl = ['crawl', page, '--sitemap', 'skip', '--idempotency-key', 'a crawl']

  expect(await idOf(...batch)).toBe(await idOf(...batch))
  expect(await idOf(...crawl)).toBe(await idOf(...crawl))
})

test('bowline batch and crawl pass selectors, a wait and a webhook on', async () => {
  const { site } = fixture
  const page = site.url('/page?n=10')
  const flags = [
    '--include-tags',
    'main',
    '--exclude-tags',
    '.ad',
    'nav',
    '--wait-for',
    '5',
    '--webhook',
    site.url('/'),
  ]
  const optionsOf = async (command: string): Promise<unknown> => {
    const job = await run(command, page, ...flags, '--json')
    const shown = await run('jobs', 'show', (JSON.parse(job.out) as { id: string }).id, '--json')
    return (JSON.parse(shown.out) as { options: unknown }).options
  }
  const expected = { includeTags: ['main'], excludeTags: ['.ad', 'nav'], waitFor: 5 }
  const webhook = expect.objectContaining({ url: site.url('/') }) as unknown

  expect(await optionsOf('batch')).toEqual({ ...expected, webhook })
  expect(await optionsOf('crawl')).toEqual({ scrapeOptions: expected, webhook })
})

test('bowline batch and crawl add the attributes of elements to each document', async () => {
  const page = fixture.site.url('/page?n=11')
  const attribute = ['--attribute', 'html@lang', 'a@href']
  const selectors = [
    { selector: 'html', attribute: 'lang' },
    { selector: 'a', attribute: 'href' },
  ]

  for (const args of [
    ['batch', page],
    ['crawl', page, '--sitemap', 'skip'],
  ]) {
    const { lines } = await run(...args, ...attribute)
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { markdown: '# Page 11\n', attributes: selectors },
    ])
  }
})

test('a key of a job with other URLs exits as a rejected request', async () => {
  const [page = '', other = ''] = fixture.urls(2)
  await run('batch', page, '--idempotency-key', 'reused')

  const faster = await run('batch', page, '--idempotency-key', 'reused', '--concurrency', '3')
  const reused = await run('batch', other, '--idempotency-key', 'reused')

  expect(faster.code).toBe(0)
  expect(reused).toMatchObject({ code: 2, errors: expect.stringMatching(/^IDEMPOTENCY_KEY_REUSED: /) as string })
})

test('bowline batch --retry scrapes the failed pages of a job again', async () => {
  const { site, urls } = fixture
  const first = await run('batch', ...urls(1), site.url('/broken'), '--json')
  const { id } = JSON.parse(first.lines.join('\n')) as { id: string }

  const again = await run('batch', '--retry', id, '--json')
  const other = await run('batch', '--retry', id, '--format', 'links')
  const hooked = await run('batch', '--retry', id, '--webhook', 'https://example.com')
  const both = await run('batch', '--retry', id, 'https://example.com')

  expect(JSON.parse(again.lines.join('\n'))).toMatchObject({ completed: 0, errors: [{ url: site.url('/broken') }] })
  expect(other).toMatchObject({ code: 2, errors: expect.stringContaining('so `--format` has no effect') })
  expect(hooked).toMatchObject({ code: 2, errors: expect.stringContaining('so `--webhook` has no effect') })
  expect(again.code).toBe(1)
  expect(both).toMatchObject({ code: 2 })
})

test('bowline batch reports a missing file', async () => {
  const { code, errors } = await run('batch', '--file', '/nowhere.txt')

  expect(errors).toMatch(/^LOCAL_FILE_FAILED: \/nowhere\.txt: no such file or directory \(/)
  expect(code).toBe(1)
})

test('Ctrl-C cancels a batch, and tells how many pages were printed', async () => {
  const { lab, site, urls } = fixture
  const args = ['batch', ...urls(2), site.url('/held?ctrl-c'), '--concurrency', '1']
  await using program = startProgram('src/cli/main.ts', args, { BOWLINE_DATA_DIR: lab.dataDir })
  await expect.poll(() => program.lines.length).toBe(2)

  program.child.kill('SIGINT')

  expect(await program.ended).toEqual({ code: 130, signal: null })
  expect(program.errors()).toMatch(
    /Cancelled after 2 pages and at least [12] credits?\. `bowline jobs show [-\da-f]{36}` shows the final bill\./,
  )
  const { body } = await lab.api('GET', '/v2/team/jobs?limit=1')
  expect(body['data']).toMatchObject([{ status: 'cancelled' }])
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s leaves a batch with a key running, and names the command that cancels it', async (signal, code) => {
  const { lab, site, urls } = fixture
  const args = ['batch', ...urls(1), site.url('/held?key'), '--concurrency', '1', '--idempotency-key', signal]
  await using program = startProgram('src/cli/main.ts', args, { BOWLINE_DATA_DIR: lab.dataDir })
  await expect.poll(() => program.lines.length).toBe(1)

  program.child.kill(signal)

  expect(await program.ended).toEqual({ code, signal: null })
  const id = /The job continues\..* `bowline jobs cancel ([-\da-f]{36})`/.exec(program.errors())?.[1] ?? ''
  expect((await lab.api('GET', `/v2/batch/scrape/${id}`)).body['status']).toBe('scraping')
  expect(await run('jobs', 'cancel', id)).toMatchObject({ code: 0, out: `job ${id}: cancelled` })
})
