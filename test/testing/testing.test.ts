import { cp, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JSONReport, JSONReportSpec, JSONReportTestResult } from '@playwright/test/reporter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { playwrightCli, reportOf, specsOf, startProjects, vitestCli, type Projects, type Ran } from './projects.ts'

let projects: Projects

beforeAll(async () => {
  projects = await startProjects()
})

afterAll(() => projects[Symbol.asyncDispose]())

describe('a Playwright Test project in two shards, on a server with one session slot', () => {
  let ran: readonly Ran[]
  let reports: readonly JSONReport[]
  let specs: ReadonlyMap<string, JSONReportSpec>
  beforeAll(async () => {
    const flags = { httpOnly: false, secure: false, sameSite: 'Lax' } as const
    await projects.bowline.profiles.importState('signed-in', {
      cookies: [{ name: 'user', value: 'ann', domain: '127.0.0.1', path: '/', expires: -1, ...flags }],
      origins: [],
    })
    ran = await Promise.all(
      [1, 2].map(async (shard) =>
        projects.run('project', [playwrightCli, 'test', '--workers=1', `--shard=${shard}/2`], {
          outputDir: `results-${shard}`,
        }),
      ),
    )
    reports = ran.map(reportOf)
    specs = specsOf(reports)
  })

  const printed = (): string => ran.map(({ stdout, stderr }) => stdout + stderr).join('')
  const resultsOf = (title: string): readonly JSONReportTestResult[] => specs.get(title)?.tests[0]?.results ?? []
  const annotation = ({ annotations }: JSONReportTestResult, name: string) =>
    annotations.find(({ type }) => type === name)?.description

  test('waits in one shard until the other has freed the slot', () => {
    const spans = reports.map(({ stats: { startTime, duration } }) => ({
      fromMs: Date.parse(startTime),
      toMs: Date.parse(startTime) + duration,
    }))
    expect(Math.max(...spans.map(({ fromMs }) => fromMs))).toBeLessThan(Math.min(...spans.map(({ toMs }) => toMs)))
    expect(reports.map(({ stats: { expected, unexpected, flaky } }) => expected + unexpected + flaky)).toEqual([3, 1])
  })

  test('gives each test a new context on the session of its worker, with the state of the profile', () => {
    const [first, second] = ['signed in', 'apart'].flatMap(resultsOf)

    expect([first?.status, second?.status], printed()).toEqual(['passed', 'passed'])
    expect(annotation(first!, 'session')).toBe(annotation(second!, 'session'))
    expect(annotation(first!, 'live view (while the session runs)')).toContain(projects.lab.server.url)
  })

  test('keeps trace, screenshot and console of a failed test, and does not retry it', async () => {
    const results = resultsOf('fails on every attempt')

    const kept = results[0]?.attachments ?? []
    expect(kept.map(({ name }) => name)).toEqual(expect.arrayContaining(['trace', 'screenshot', 'console']))
    expect(kept.filter(({ name }) => name === 'screenshot')).toHaveLength(1)
    const { path = '', body = '' } = kept.find(({ name }) => name === 'console') ?? {}
    const log = path === '' ? Buffer.from(body, 'base64').toString() : await readFile(path, 'utf8')
    expect(log).toContain('warning: rocks ahead')
    expect(results).toHaveLength(1)
  })

  test('retries a test whose session was lost on another session, and bills it', () => {
    const [lost, passed] = resultsOf('loses its session once')

    expect([lost?.status, passed?.status]).toEqual(['failed', 'passed'])
    expect(annotation(lost!, 'infrastructure')).toContain('the session was deleted')
    expect(lost?.errors.map(({ message }) => message).join()).toMatch(
      /^Error: Session lost: .*the session was deleted.*\. The errors after this one are consequences\./,
    )
    expect(annotation(passed!, 'session')).not.toBe(annotation(lost!, 'session'))
    expect(annotation(passed!, 'credits')).toBe('2')
    expect(annotation(passed!, 'recording')).toContain('/recordings/player.html?token=')
  })

  test('names the sessions after workers and tests, and links the recording of a test that ended its worker', async () => {
    const [shared] = resultsOf('signed in')
    const [own] = resultsOf('loses its session once')
    const names = [shared, own].map(async (result) => {
      const { name } = await projects.bowline.sessions.get(annotation(result!, 'session') ?? '')
      return name
    })
    const [failed] = resultsOf('fails on every attempt')

    expect(await Promise.all(names)).toEqual([expect.stringMatching(/^shared, worker \d$/), 'loses its session once'])
    expect(annotation(failed!, 'recording')).toMatch(/player\.html\?token=\S+#t=/)
    expect(annotation(shared!, 'recording')).toBeUndefined()
  })

  test('prints the sessions of both shards after their reports are merged, and the credits they contain', async () => {
    const merged = join(projects.home, 'project/blobs')
    await mkdir(merged)
    for (const shard of [1, 2]) {
      await cp(join(projects.home, `results-${shard}-blob`), merged, { recursive: true })
    }

    const { stdout, stderr } = await projects.run('project', [
      playwrightCli,
      'merge-reports',
      '--reporter=bowline/testing/reporter',
      'blobs',
    ])

    expect(stdout, stderr).toMatch(/^ {2}own\.spec\.ts +2 +4\n {2}shared\.spec\.ts +1 +0\n {2}total +3 +4$/m)
    expect(stdout).toContain('  credits of 1 session not in the merged reports, counted as 0')
    expect(stdout).toMatch(/^ {2}own\.spec\.ts › loses its session once failed: http:\S+player\.html\?token=/m)
    expect(stdout).toMatch(/^ {2}shared\.spec\.ts › fails on every attempt failed: \S+player\.html\?token=\S+#t=/m)
  })

  test('prints the bill per file and in total, and deletes all sessions', async () => {
    expect(printed()).toMatch(/^ {2}shared\.spec\.ts +1 +2\n {2}total +1 +2$/m)
    expect(printed()).toMatch(/^ {2}own\.spec\.ts +2 +4\n {2}total +2 +4$/m)
    expect(printed().match(/^.* failed: http:\S+player\.html\?token=/gm)).toEqual([
      expect.stringMatching(/^ {2}shared\.spec\.ts › fails on every attempt failed: /),
      expect.stringMatching(/^ {2}own\.spec\.ts › loses its session once failed: /),
    ])
    expect(printed()).toContain('1 attempt failed because the session was lost or could not be opened')
    expect(printed()).not.toContain('Bowline: failed tests are not retried')
    expect(printed()).toContain('1 failed test was not retried: `retries` is for lost sessions')
    expect(await projects.bowline.sessions.list({ status: 'active' })).toEqual([])
  })
})

test.each([
  ['a wrong key', { apiKey: 'bl-wrong' }, 'UNAUTHORIZED: '],
  ['no URL', { baseUrl: '' }, 'CONFIG_INVALID: '],
])('Playwright Test does not retry what would fail again: %s', async (name, settings, message) => {
  const flags = ['test', '--project=own', '--workers=1']

  const ran = await projects.run('project', [playwrightCli, ...flags], { outputDir: `results of ${name}`, ...settings })

  const results = specsOf([reportOf(ran)]).get('loses its session once')?.tests[0]?.results
  expect(results?.map(({ error }) => error?.message)).toEqual([expect.stringContaining(message)])
  const error = results?.[0]?.error
  expect(error?.stack).not.toMatch(/^ +at /m)
  expect(error).not.toHaveProperty('cause')
})

test('the tests of a Vitest file share a session, each with a new page, and one failure marks it as failed', async () => {
  const report = join(projects.home, 'vitest.json')

  const flags = [
    '--root=.',
    '--config=vite.config.ts',
    '--reporter=default',
    '--reporter=json',
    `--outputFile=${report}`,
  ]

  const ran = await projects.run('vitest-project', [vitestCli, 'run', ...flags])

  const found = await readFile(report, 'utf8')
  expect(JSON.parse(found), found + ran.stderr).toMatchObject({
    numPassedTests: 9,
    numFailedTests: 1,
  })
  const [session, ...others] = await projects.bowline.sessions.list({ metadata: { suite: 'vitest' } })
  expect(others).toEqual([])
  expect(session?.name).toBe('page.spec.ts')
  const [failing] = await projects.bowline.sessions.list({ metadata: { suite: 'failing' } })
  expect(ran.stderr).toContain(`Bowline: session ${failing?.id}, 2 credits\n  failing.spec.ts › an unexpected failure`)
  expect(ran.stderr).not.toContain('passes on its retry failed')
  expect(ran.stderr).toMatch(/an unexpected failure failed: http:\S+player\.html\?token=\S+#t=/)
  expect(await projects.bowline.sessions.recordings(session?.id ?? '').list()).toMatchObject([
    { name: 'console.jsonl' },
    {},
  ])
  expect(await projects.bowline.sessions.list({ status: 'active' })).toEqual([])
})
