import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readGuideBlocks } from '../lab/guides.ts'
import { matchesOutput } from '../lab/matches-output.ts'
import { startSite, type Site } from '../lab/site.ts'
import { fixedPage } from '../lab/pages/page.ts'
import { playwrightCli, startProjects, vitestCli, type Projects } from './projects.ts'

const blocks = readGuideBlocks().filter(({ source }) => source.startsWith('docs/guide/testing.md:'))

/** The name of the file that a block shows, which is in its first line. */
function nameOf({ code }: { readonly code: string }): string | undefined {
  return /^\/\/ ([\w.-]+)\n/.exec(code)?.[1]
}

let projects: Projects
let site: Site
const opened = new AsyncDisposableStack()

beforeAll(async () => {
  ;[projects, site] = await Promise.all([
    startProjects(),
    startSite({
      '/': fixedPage('Shop', '<a href="/boats">Boats</a>'),
      '/boats': fixedPage('Boats', '<ul><li>Dinghy</li></ul>'),
      '/login': fixedPage(
        'Sign in',
        '<form action="/orders"><label>Email <input></label><button>Sign in</button></form>',
      ),
      '/orders': fixedPage('Orders', '<h1>Your orders</h1>'),
    }),
  ])
  opened.use(projects)
  opened.use(site)
})

afterAll(() => opened.disposeAsync())

/** Writes files of the guide to a folder: the first or second one of a name. */
async function writeProject(folder: string, names: readonly string[], index = 0): Promise<void> {
  await mkdir(join(projects.home, folder))
  for (const name of names) {
    const named = blocks.filter((block) => nameOf(block) === name)
    const code = (named[index] ?? named[0])?.code.replaceAll('https://example.com', site.url(''))
    await writeFile(join(projects.home, folder, name), code ?? '')
  }
}

test('the first test of the guide prints what the guide shows', async () => {
  await writeProject('guide-first', ['shop.spec.ts'])

  const reporters = '--reporter=list,bowline/testing/reporter'
  const env = { FORCE_COLOR: '0' }
  const { stdout } = await projects.run('guide-first', [playwrightCli, 'test', reporters], { env })

  expect(stdout).toMatch(matchesOutput(blocks[0]?.output ?? ''))
})

test('the fixtures and the configuration of the guide work', async () => {
  await writeProject('guide-options', ['shop.spec.ts', 'product.spec.ts', 'playwright.config.ts'])

  const { stdout, stderr } = await projects.run('guide-options', [playwrightCli, 'test', '--workers=1'])

  expect(stdout + stderr).toContain('2 passed')
})

test('the set-up project of the guide signs in', async () => {
  await writeProject('guide-sign-in', ['auth.setup.ts', 'shop.spec.ts', 'playwright.config.ts'], 1)

  const { stdout, stderr } = await projects.run('guide-sign-in', [playwrightCli, 'test', '--workers=1'])

  expect(stdout + stderr).toContain('2 passed')
})

test('the Vitest test of the guide passes', async () => {
  await writeProject('guide-vitest', ['boats.test.ts'])

  // The default of 5 s includes the start of the browser, which takes longer on a busy machine.
  const { stdout, stderr } = await projects.run('guide-vitest', [vitestCli, 'run', '--testTimeout=120000'])

  expect(stdout + stderr).toMatch(/Tests .*1 passed/)
})

test('each file of the guide is run by a test', () => {
  const run = ['shop.spec.ts', 'product.spec.ts', 'playwright.config.ts', 'auth.setup.ts', 'boats.test.ts']

  expect(new Set(blocks.map(nameOf))).toEqual(new Set([...run, 'global-setup.ts']))
})
