import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtempDisposable, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JSONReport, JSONReportSpec } from '@playwright/test/reporter'
import { Bowline } from '../../src/index.ts'
import { startLab, type Lab } from '../lab/lab.ts'
import { startSite, type Site } from '../lab/site.ts'
import { repository } from '../lab/source-tree.ts'

/** The result of a run of a test tool. */
export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Settings of a run. */
export interface RunSettings {
  readonly outputDir?: string
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly env?: Readonly<Record<string, string>>
}

/** The test projects of a user who has installed the package, with a server and a site. */
export interface Projects extends AsyncDisposable {
  readonly lab: Lab
  readonly site: Site
  readonly bowline: Bowline
  /** Folder with a copy of each project of `test/testing`. */
  readonly home: string
  /** Runs a test tool in its own process. */
  readonly run: (folder: string, args: readonly string[], settings?: RunSettings) => Promise<Ran>
}

export const playwrightCli = join(repository, 'node_modules/@playwright/test/cli.js')
export const vitestCli = join(repository, 'node_modules/vitest/vitest.mjs')

/** Starts a server with one session slot and a site, and copies the projects. */
export async function startProjects(): Promise<Projects> {
  await using undo = new AsyncDisposableStack()
  const lab = undo.use(await startLab({ maxSessions: 1 }))
  const site = undo.use(await startSite())
  const home = undo.use(await mkdtempDisposable(join(tmpdir(), 'bowline-testing-'))).path
  await cp(join(repository, 'test/testing'), home, { recursive: true })
  await writeFile(join(home, 'package.json'), '{ "type": "module" }')
  await mkdir(join(home, 'node_modules'))
  await symlink(repository, join(home, 'node_modules/bowline'))
  for (const name of ['@playwright', 'vitest']) {
    await symlink(join(repository, 'node_modules', name), join(home, 'node_modules', name))
  }
  const { url, apiKey: key } = lab.server
  const bowline = new Bowline({ baseUrl: url, apiKey: key, reaper: false })
  const owned = undo.move()
  return {
    lab,
    site,
    bowline,
    home,
    run: async (folder, args, { outputDir = 'results', baseUrl = url, apiKey = key, env } = {}) => {
      const { CI: _, VITEST: __, NODE_ENV: ___, ...rest } = process.env
      const own = { HOME: home, BOWLINE_BASE_URL: baseUrl, BOWLINE_API_KEY: apiKey }
      const project = { PROJECT_SITE: site.url(''), PROJECT_OUTPUT: join(home, outputDir) }
      const options = { cwd: join(home, folder), env: { ...rest, ...own, ...project, ...env }, maxBuffer: 1e8 }
      const { promise, resolve } = Promise.withResolvers<Ran>()
      execFile(process.execPath, [...args], options, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
      )
      return promise
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Returns the report that the JSON reporter has printed. */
export function reportOf({ stdout }: Ran): JSONReport {
  return JSON.parse(stdout.slice(stdout.indexOf('{'), stdout.lastIndexOf('}') + 1)) as JSONReport
}

/** Returns the tests of reports by title. */
export function specsOf(reports: readonly JSONReport[]): ReadonlyMap<string, JSONReportSpec> {
  const suites = reports.flatMap((report) => report.suites)
  return new Map(suites.flatMap((suite) => suite.specs).map((spec) => [spec.title, spec]))
}
