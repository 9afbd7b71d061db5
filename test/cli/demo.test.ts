import { execFile } from 'node:child_process'
import { mkdtempDisposable, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startDemoSite } from '../../src/cli/demo-site.ts'
import { visit } from '../../src/cli/demo-visit.ts'
import { runDemo } from '../../src/cli/run-demo.ts'
import { Bowline } from '../../src/index.ts'
import { playwright } from '../../src/playwright.ts'
import { startLab } from '../lab/lab.ts'
import { repository } from '../lab/source-tree.ts'

/** Prints the flags that a program sets for V8, on standard error. */
const printFlags = `data:text/javascript,${encodeURIComponent(`
  import v8 from 'node:v8'
  import { syncBuiltinESMExports } from 'node:module'
  const { setFlagsFromString } = v8
  v8.setFlagsFromString = (flag) => {
    console.error(flag)
    setFlagsFromString(flag)
  }
  syncBuiltinESMExports()`)}`

const silent = { onServer: () => {}, onSession: () => {} }

test('the demo drives its own page for an unreachable one, bills the sessions and leaves no process', async () => {
  const end = await runDemo({ url: 'nowhere.invalid' }, silent)
  const images = await Promise.all(end.sessions.map(({ screenshot }) => readFile(screenshot)))
  for (const { screenshot } of end.sessions) await rm(dirname(screenshot), { recursive: true, force: true })

  expect(end.sessions.map(({ driver }) => driver)).toEqual(['playwright', 'puppeteer'])
  expect(end.sessions.map(({ title }) => title)).toEqual(['Harbour Office', 'Harbour Office'])
  expect(end.sessions.map(({ outcome }) => outcome)).toEqual([
    expect.stringContaining('Albatross lies at North Quay'),
    expect.stringContaining('Kittiwake lies at North Quay'),
  ])
  const reason = expect.stringMatching(/^https:\/\/nowhere\.invalid\/ could not be reached \(net::ERR_\w+\)$/)
  expect(end.sessions.map(({ fallbackReason }) => fallbackReason)).toEqual([reason, reason])
  expect(end.sessions.map(({ creditsBilled }) => creditsBilled)).toEqual([2, 2])
  expect(images.map((image) => image.subarray(1, 4).toString())).toEqual(['PNG', 'PNG'])
  expect(end.started).toBeGreaterThan(0)
  expect(end.stillRunning).toEqual([])
})

test('without a URL the demo drives its own page', async () => {
  await using site = await startDemoSite()
  await using folder = await mkdtempDisposable(join(tmpdir(), 'demo-'))
  await using lab = await startLab()
  await using bowline = new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false })
  const plan = { siteUrl: site.url, screenshot: `${folder.path}/1.png`, boat: 'Albatross' } as const

  const { result } = await bowline.withSession({ driver: playwright }, async (handles) => visit(handles, plan))

  expect(result).toMatchObject({ outcome: expect.stringContaining('Albatross lies at North Quay') })
  expect(result).not.toHaveProperty('fallbackReason')
})

test('the demo leaves out a driver that is not installed, with the install command, and limits the compiler', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'demo-'))
  const preload = pathToFileURL(join(repository, 'test/lab/without-packages.mjs')).href
  const args = ['--import', preload, '--import', printFlags, join(repository, 'src/cli/main.ts'), 'demo']
  const env = { ...process.env, HIDDEN_PACKAGES: 'puppeteer-core', TMPDIR: folder.path }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env })

  expect(stdout).toContain('Albatross lies at North Quay')
  expect(stdout).toMatch(/Puppeteer left out: .*npm install puppeteer-core/)
  expect(stdout).toContain('The session is deleted and billed: 2 credits in total.')
  expect(stderr).toContain('--liftoff-only')
})

test('the demo rejects URLs that are not http or https', async () => {
  await expect(runDemo({ url: 'ftp://example.com' }, silent)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
})
