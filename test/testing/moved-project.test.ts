import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JSONReportTestResult } from '@playwright/test/reporter'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readGuideBlocks } from '../lab/guides.ts'
import { playwrightCli, reportOf, specsOf, startProjects, type Projects } from './projects.ts'

let projects: Projects

beforeAll(async () => {
  projects = await startProjects()
})

afterAll(() => projects[Symbol.asyncDispose]())

/** Runs one of the Playwright Test projects of `moved-project`. */
async function runProject(name: string, env: Readonly<Record<string, string>> = {}) {
  const args = [playwrightCli, 'test', `--project=${name}`, '--workers=1']
  const ran = await projects.run('moved-project', args, { outputDir: `results of ${name}`, env })
  const printed = ran.stdout + ran.stderr
  const specs = specsOf([reportOf(ran)])
  const resultOf = (title: string): JSONReportTestResult | undefined => specs.get(title)?.tests[0]?.results.at(-1)
  return { ...ran, printed, specs, resultOf }
}

test('a suite may import everything from bowline/testing, and sign in as the guide shows', async () => {
  const setup = readGuideBlocks().find(({ code }) => code.startsWith('// global-setup.ts'))
  const folder = join(projects.home, 'moved-project')
  const code = setup?.code.replace('https://example.com', projects.site.url('/'))
  await writeFile(join(folder, 'global-setup.ts'), code ?? '')

  const { printed, resultOf } = await runProject('imports', { PROJECT_SETUP: './global-setup.ts' })

  expect(JSON.parse(await readFile(join(folder, 'state.json'), 'utf8')), printed).toHaveProperty('cookies')
  expect(resultOf('a page object and the objects of Playwright')?.status).toBe('passed')
})

test.each(['session per worker', 'session per test'])(
  'tests that use only `browser` are annotated, linked and billed: %s',
  async (project) => {
    const { printed, resultOf } = await runProject(project)

    const results = ['opens the page', 'fails on the page'].map(resultOf)
    expect(results.map((result) => result?.status)).toEqual(['passed', 'failed'])
    const annotations = results.map((result) => result?.annotations.map(({ type }) => type))
    const added = ['session', 'live view (while the session runs)', 'credits']
    expect(annotations).toEqual([expect.arrayContaining(added), expect.arrayContaining(added)])
    expect(printed).toMatch(/^ {2}serial\.spec\.ts +1 +2\n {2}total +1 +2$/m)
    expect(printed).toMatch(/^ {2}serial\.spec\.ts › fails on the page failed: http:\S+player\.html\?token=\S+#t=/m)
  },
)

test.each(['serial group', 'serial group with retries'])(
  'the rest of a failed group does not run: %s',
  async (name) => {
    const { printed, resultOf } = await runProject(name)

    expect(resultOf('passes')?.status, printed).toBe('passed')
    expect(resultOf('fails')?.status).toBe('failed')
    expect([undefined, 'skipped']).toContain(resultOf('does not run after it')?.status)
  },
)

test('a page that crashed in another test is no reason to retry a test', async () => {
  const { printed, specs } = await runProject('crashed page')

  const statuses = ['expects a crash', 'fails after the crash of another test'].map((title) =>
    specs.get(title)?.tests[0]?.results.map(({ status }) => status),
  )
  expect(statuses, printed).toEqual([['passed'], ['failed']])
})

test('options without effect are reported once, and a timeout is reported as such', async () => {
  const { printed, resultOf } = await runProject('ignored options')

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
