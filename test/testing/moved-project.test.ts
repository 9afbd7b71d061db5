import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JSONReportTestResult } from '@playwright/test/reporter'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readGuideBlocks } from '../lab/guides.ts'
import { playwrightCli, reportOf, startProjects, type Projects } from './projects.ts'

let projects: Projects
/** One run of the projects of `moved-project` whose output may be mixed: a run takes seconds. */
let shared: Run

beforeAll(async () => {
  projects = await startProjects()
  const setup = readGuideBlocks().find(({ code }) => code.startsWith('// global-setup.ts'))
  const code = setup?.code.replace('https://example.com', projects.site.url('/'))
  await writeFile(join(projects.home, 'moved-project/global-setup.ts'), code ?? '')
  const names = ['imports', 'serial group', 'serial group with retries', 'crashed page', 'ignored options']
  shared = await runProjects(names, { PROJECT_SETUP: './global-setup.ts' })
})

afterAll(() => projects[Symbol.asyncDispose]())

/** The end of a run. */
interface Run {
  readonly printed: string
  /** The results of a test in a project. */
  readonly resultsOf: (project: string, title: string) => readonly JSONReportTestResult[]
}

/** Runs Playwright Test projects of `moved-project`. */
async function runProjects(names: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const args = [playwrightCli, 'test', ...names.map((name) => `--project=${name}`), '--workers=1']
  const ran = await projects.run('moved-project', args, { outputDir: `results of ${names.join()}`, env })
  const specs = reportOf(ran).suites.flatMap((suite) => suite.specs)
  return {
    printed: ran.stdout + ran.stderr,
    resultsOf: (project, title) =>
      specs
        .filter((spec) => spec.title === title)
        .flatMap(({ tests }) => tests)
        .find(({ projectName }) => projectName === project)?.results ?? [],
  }
}

test('a suite may import everything from bowline/testing, and sign in as the guide shows', async () => {
  const { printed, resultsOf } = shared

  const state = await readFile(join(projects.home, 'moved-project/state.json'), 'utf8')
  expect(JSON.parse(state), printed).toHaveProperty('cookies')
  expect(resultsOf('imports', 'a page object and the objects of Playwright').at(-1)?.status).toBe('passed')
})

test.each(['session per worker', 'session per test'])(
  'tests that use only `browser` are annotated, linked and billed: %s',
  async (project) => {
    const { printed, resultsOf } = await runProjects([project])

    const results = ['opens the page', 'fails on the page'].map((title) => resultsOf(project, title).at(-1))
    expect(results.map((result) => result?.status)).toEqual(['passed', 'failed'])
    const annotations = results.map((result) => result?.annotations.map(({ type }) => type))
    const added = ['session', 'live view (while the session runs)', 'credits']
    expect(annotations).toEqual([expect.arrayContaining(added), expect.arrayContaining(added)])
    expect(printed).toMatch(/^ {2}serial\.spec\.ts +1 +2\n {2}total +1 +2$/m)
    expect(printed).toMatch(/^ {2}serial\.spec\.ts › fails on the page failed: http:\S+player\.html\?token=\S+#t=/m)
  },
)

test.each(['serial group', 'serial group with retries'])('the rest of a failed group does not run: %s', (project) => {
  const { printed, resultsOf } = shared
  const statusOf = (title: string) => resultsOf(project, title).at(-1)?.status

  expect(statusOf('passes'), printed).toBe('passed')
  expect(statusOf('fails')).toBe('failed')
  expect([undefined, 'skipped']).toContain(statusOf('does not run after it'))
})

test('a page that crashed in another test is no reason to retry a test', () => {
  const { printed, resultsOf } = shared

  const statuses = ['expects a crash', 'fails after the crash of another test'].map((title) =>
    resultsOf('crashed page', title).map(({ status }) => status),
  )
  expect(statuses, printed).toEqual([['passed'], ['failed']])
})

test('options without effect are reported once, and a timeout is reported as such', () => {
  const { printed, resultsOf } = shared
  const resultOf = (title: string) => resultsOf('ignored options', title).at(-1)

  expect(resultOf('runs in Chromium')?.status, printed).toBe('passed')
  const failed = resultOf('clicks a missing button until the timeout')
  expect(failed?.status).toBe('timedOut')
  expect(failed?.errors.map(({ message }) => message).join('\n')).toContain(
    'locator.click: Test timeout of 15000ms exceeded.',
  )
  expect(printed.match(/Bowline: `video` has no effect/g)).toHaveLength(1)
  expect(printed.match(/asks for firefox, but all tests run in Chromium/g)).toHaveLength(1)
  expect(printed.match(/`testRetries: 2` is more than `retries: 0`/g)).toHaveLength(1)
})
