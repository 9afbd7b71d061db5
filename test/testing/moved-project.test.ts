import { afterAll, beforeAll, expect, test } from 'vitest'
import { playwrightCli, reportOf, specsOf, startProjects, type Projects } from './projects.ts'

let projects: Projects

beforeAll(async () => {
  projects = await startProjects()
})

afterAll(() => projects[Symbol.asyncDispose]())

/** Runs one of the Playwright Test projects of `moved-project`. */
async function runProject(name: string, ...flags: readonly string[]) {
  const args = [playwrightCli, 'test', `--project=${name}`, '--workers=1', ...flags]
  return projects.run('moved-project', args, { outputDir: `results of ${name}` })
}

test('a suite may import everything of Playwright Test from bowline/testing', async () => {
  const ran = await runProject('imports')

  expect(ran, ran.stdout + ran.stderr).toMatchObject({ code: 0 })
  expect([...specsOf([reportOf(ran)]).values()].map(({ ok }) => ok)).toEqual([true])
})
