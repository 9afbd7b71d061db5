import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { fitTable, type TableColumn } from '../../src/terminal/fit-table.ts'
import { textWidth } from '../../src/terminal/text-width.ts'
import { makePages, startJobFixture, type JobFixture } from '../../server/test/jobs/fixture.ts'
import { runCommand } from '../lab/run-command.ts'

const cleanup = new AsyncDisposableStack()
let fixture: JobFixture
let home: string
let sessionId: string
let jobId: string

beforeAll(async () => {
  fixture = cleanup.use(await startJobFixture('PGlite', {}, makePages().pages))
  home = cleanup.use(await mkdtempDisposable(join(tmpdir(), 'home-'))).path
  const { lab, site, start, ended, urls } = fixture
  const name = 'Nightly export of all orders of the shop'
  const { id } = await lab.createSession({
    ttl: 60,
    name,
    metadata: { suite: 'smoke', build: '7' },
    profile: { name: 'shop' },
    viewport: { width: 800, height: 600 },
  })
  await lab.api('DELETE', `/v2/browser/${id}`)
  sessionId = id
  const url = await start('/v2/batch/scrape', {
    urls: [`${urls(1)[0]}&${'long'.repeat(30)}`, site.url('/broken')],
    webhook: `${site.url('/hook')}?${'long'.repeat(20)}`,
  })
  await ended(url)
  jobId = url.split('/').at(-1)!
  await lab.api('POST', '/v2/team/keys', { team: 'a team with a rather long name', name })
  await lab.api('POST', '/v2/teams', { name: 'another long name', credits: 100, rateLimits: 'x10,scrape=100,crawl=7' })
  await vi.waitFor(async () => expect((await run(['webhooks', 'list', '--json'])).out).toContain(jobId), 20_000)
})
afterAll(async () => cleanup.disposeAsync())

async function run(args: readonly string[], columns?: number) {
  const { lines, ...end } = await runCommand(args, {
    env: { HOME: home, BOWLINE_DATA_DIR: fixture.lab.dataDir, FORCE_COLOR: undefined },
    isTerminal: columns !== undefined,
    columns,
  })
  return { ...end, lines: lines.map((line) => stripVTControlCharacters(line)) }
}

const uuid = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/

describe('a terminal of 80 columns fits', () => {
  test.each([
    ['sessions list'],
    ['jobs list'],
    ['webhooks list'],
    ['activity'],
    ['usage --top 10'],
    ['keys list'],
    ['teams list'],
    ['audit-log'],
  ])('%s', async (command) => {
    const { lines, errors, code } = await run(command.split(' '), 80)

    expect(code, errors).toBe(0)
    expect(lines.length).toBeGreaterThan(1)
    expect(lines.filter((line) => textWidth(line) > 80)).toEqual([])
    if (!['audit-log', 'activity'].includes(command))
      expect(lines.slice(1).filter((line) => !uuid.test(line))).toEqual([])
  })
})

test('the activity leaves out ids before it shortens targets to a few letters', async () => {
  const { lines } = await run(['activity'], 80)

  expect(lines[0]).toMatch(/^when +endpoint +(?:version +)?target$/)
  expect(lines.slice(1).filter((line) => !line.includes('http://127.0.0.1') && !line.includes('Nightly'))).toEqual([])
})

test.each([60, 30])('the chart of usage fits a terminal of %i columns', async (columns) => {
  const { lines } = await run(['usage', '--by-kind', '--days'], columns)

  expect(lines.some((line) => line.includes('█'))).toBe(true)
  expect(lines.filter((line) => line.includes('█') && textWidth(line) > columns)).toEqual([])
})

test('a wide terminal and a pipe show all columns', async () => {
  const wide = await run(['jobs', 'list'], 400)
  const piped = await run(['webhooks', 'list'])

  expect(wide.lines[0]).toMatch(/^when +kind +status +completed +failed +pages +credits +id +target$/)
  expect(wide.out).toContain(`${'long'.repeat(30)} and 1 more`)
  expect(piped.lines[0]).toMatch(/^id +event +job +status +attempts +last attempt +url$/)
  expect(piped.out).toContain('long'.repeat(20))
})

test.each(['jobs list', 'activity', 'usage --top 10'])('%s shows the number of URLs of a batch', async (command) => {
  const { lines } = await run(command.split(' '), 400)

  const { lines: narrow } = await run(command.split(' '), 80)
  const rowOf = (rows: readonly string[]) => rows.find((line) => line.includes(jobId))

  expect(rowOf(lines)).toMatch(/long and 1 more$/)
  expect(narrow.filter((line) => /….*1 more$/.test(line))).toHaveLength(1)
})

test('an ended session has the words of the dashboard in tables, and those of the API in JSON', async () => {
  const table = await run(['sessions', 'list', '--status', 'ended'])
  const facts = await run(['sessions', 'show', sessionId])
  const json = await run(['sessions', 'list', '--status', 'ended', '--json'])

  expect(table.lines[1]).toMatch(new RegExp(`^${sessionId} .* ended \\(by request\\) `))
  expect(facts.out).toMatch(/^status +ended \(by request\)$/m)
  expect(facts.out).not.toContain('deleted')
  expect(facts.out).toMatch(/^created +\d{4}-.*\n[^]*^ended +\d{4}-.*\n[^]*^credits +2$\n[^]*^duration +[\d.]+ s$/m)
  expect(JSON.parse(json.out)).toMatchObject([{ id: sessionId, status: 'destroyed', endReason: 'deleted' }])
})

test('an ended session is shown without JSON, and without URLs that no longer work', async () => {
  const { out } = await run(['sessions', 'show', sessionId])

  expect(out).not.toMatch(/[{[]|URL|live view|omitted/)
  expect(out).toMatch(/^profile +shop \(saves changes, started empty, saved as version 1\)$/m)
  expect(out).toMatch(/^metadata +build=7, suite=smoke$/m)
  expect(out).toMatch(/^options .*\bviewport\.width=800, viewport\.height=600\b/m)
})

test('a profile has the current version and the number of versions', async () => {
  const list = await run(['profiles', 'list'])
  const show = await run(['profiles', 'show', 'shop'])

  expect(list.lines[0]).toMatch(/^name +version +kept +content +stored +saved/)
  expect(list.lines[1]).toMatch(/^shop +1 +1 +\d/)
  expect(show.out).toMatch(/^version +1\nversions kept +1$/m)
})

describe('a table', () => {
  const columns: readonly TableColumn[] = [
    { name: 'id' },
    { name: 'time', shorten: 'time', dropOrder: 2 },
    { name: 'empty', dropOrder: 3 },
    { name: 'url', shorten: 'middle', dropOrder: 1 },
  ]
  const row = ['0123456789', '2026-03-01T10:20:30.400Z', '', 'https://example.com/a/long/path']

  test.each([
    [100, row],
    [62, ['0123456789', '2026-03-01T10:20Z', '', 'https://example.com/a/long/path'].filter((cell) => cell !== '')],
    [45, ['0123456789', '2026-03-01T10:20Z', 'https:/…g/path']],
    [42, ['0123456789', '2026-03-01T10:20Z']],
    [20, ['0123456789']],
    [5, ['0123456789']],
  ])('of %i columns shortens times and text, then leaves out columns', (width, cells) => {
    expect(fitTable(columns, [row], width).rows).toEqual([cells])
  })

  test('counts letters that take two columns', () => {
    const { rows } = fitTable([{ name: 'name', shorten: 'end' }], [['日本語のとても長い名前']], 13)

    expect(rows).toEqual([['日本語のとて…']])
    expect(textWidth(rows[0]![0]!)).toBe(13)
  })
})
