import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Bowline } from '../../src/index.ts'
import { barChart } from '../../src/cli/bar-chart.ts'
import { startLab, type Lab } from '../lab/lab.ts'
import { fixedPage } from '../lab/pages/page.ts'
import { runCommand } from '../lab/run-command.ts'
import { startSite, type Site } from '../lab/site.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let site: Site
let bowline: Bowline
let home: string

beforeAll(async () => {
  lab = fixture.use(await startLab())
  site = fixture.use(await startSite({ '/': fixedPage('Home', '<p>Welcome.</p>') }))
  home = fixture.use(await mkdtempDisposable(join(tmpdir(), 'home-'))).path
  bowline = new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey })
  for (const path of ['/?1', '/?2', '/?3']) await bowline.scrape(site.url(path))
})
afterAll(async () => fixture.disposeAsync())

async function run(...args: readonly string[]) {
  return runCommand(args, { env: { HOME: home, BOWLINE_DATA_DIR: lab.dataDir } })
}

test('usage prints one bar per month and the balance', async () => {
  const month = new Date().toISOString().slice(0, 7)

  expect((await run('usage')).lines).toEqual([`${month}  3  ${'█'.repeat(40)}`, 'The team is not metered.'])
  expect((await run('usage', '--by-key', '--tokens')).lines[0]).toMatch(`${month}  bootstrap  45  █`)
  expect((await run('usage', '--by-key', '--by-kind')).lines[0]).toMatch(`${month}  bootstrap  scrape  3  █`)
})

test('a chart shows small values next to large ones', () => {
  const bars = [
    { label: 'a', value: 1000 },
    { label: 'bb', value: 500 },
    { label: 'c', value: 1 },
    { label: 'd', value: 0 },
  ]

  expect(barChart(bars, 4)).toEqual(['a   1,000  ████', 'bb    500  ██', 'c       1  ▏', 'd       0'])
})

test('activity prints JSON lines when piped', async () => {
  const { lines } = await run('activity', '--endpoint', 'scrape', '--limit', '2')

  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { endpoint: 'scrape', apiVersion: 'v2', target: site.url('/?3') },
    { endpoint: 'scrape', apiVersion: 'v2', target: site.url('/?2') },
  ])
})

test('teams are created, given credits and limited', async () => {
  const made = await run('teams', 'create', 'acme', '--credits', '100', '--max-concurrency', '3', '--json')
  const [team] = [JSON.parse(made.lines.join('\n'))]
  await run('teams', 'add-credits', 'acme', '20')
  const limited = await run('teams', 'limit', 'acme', '--max-concurrency', 'none', '--rate-limits', 'x10', '--json')

  expect(team).toMatchObject({ name: 'acme', credits: 100, maxConcurrency: 3, rateLimits: null })
  expect(JSON.parse(limited.lines.join('\n'))).toMatchObject({ credits: 120, maxConcurrency: null, rateLimits: 'x10' })
  expect((await run('teams', 'set-credits', 'nobody', '5')).errors).toContain('TEAM_NOT_FOUND')
  expect((await run('teams', 'create', 'bad name!')).errors).toContain('letters, digits, spaces')
})

test('the client reads all pages of the activity, one after the other', async () => {
  const targets: (string | undefined)[] = []
  for await (const { target } of bowline.activity({ endpoint: 'scrape', pageSize: 1 })) targets.push(target)

  expect(targets).toEqual(['/?3', '/?2', '/?1'].map((path) => site.url(path)))
})

test('the activity contains the error code of a failed call', async () => {
  const url = 'http://127.0.0.1:1/'
  await expect(bowline.scrape(url)).rejects.toThrow()
  const errors: (string | undefined)[] = []
  for await (const { target, error } of bowline.activity()) if (target === url) errors.push(error)

  expect(errors).toEqual([expect.stringMatching(/^[A-Z_]+$/)])
})

test('the client reads balances, history and concurrency', async () => {
  expect(await bowline.usage.current()).toMatchObject({ remainingCredits: undefined, planCredits: undefined })
  expect(await bowline.usage.history({ byApiKey: true, period: 'day' })).toMatchObject([
    { apiKey: 'bootstrap', endDate: undefined, credits: 3, tokens: 45 },
  ])
  expect(await bowline.concurrency()).toEqual({ concurrency: 0, maxConcurrency: lab.server.maxSessions })
})

test('usage lists the most expensive sessions and jobs', async () => {
  const { id } = await bowline.sessions.create({ ttl: 30, name: 'Export' })
  await bowline.sessions.delete(id)

  const { lines } = await run('usage', '--top', '5')

  expect(lines).toHaveLength(2)
  expect(lines[1]).toMatch(new RegExp(`^2 +session +${id} +\\S+ +Export$`))
  expect(JSON.parse((await run('usage', '--top', '5', '--json')).lines.join('\n'))).toMatchObject([{ id, credits: 2 }])
})
