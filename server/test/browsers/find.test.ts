import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { findBrowser, listBrowsers } from '../../src/browsers/find.ts'
import { browserLocations, type BrowserLocation } from '../../src/browsers/browser-locations.ts'
import { browserPaths } from '../../../test/lab/browser-paths.ts'
import { openDataDir } from './browser-fixture.ts'

const { shell: shellPath, chromium: chromiumPath } = browserPaths

async function placesOf(kind: 'shell' | 'chromium', environment: Record<string, string>): Promise<BrowserLocation[]> {
  return Array.fromAsync(browserLocations(kind, environment))
}

async function putProgram(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, '#!/bin/sh\necho Chromium 1.2.3.4\n')
  await chmod(path, 0o755)
  return path
}

test('the headless shell is the default', async () => {
  const binary = await findBrowser(undefined, {})

  expect(binary).toMatchObject({ path: shellPath, kind: 'shell' })
  expect(binary.version).toMatch(/^\d+\.\d+\.\d+\.\d+$/)
})

test('full Chromium is found on request', async () => {
  expect(await findBrowser('chromium', {})).toMatchObject({ path: chromiumPath, kind: 'chromium' })
})

test.each([
  ['/usr/bin/chromium-headless-shell', shellPath],
  ['/usr/bin/chromium', chromiumPath],
])('the launcher script %s resolves to its browser', async (launcher, program) => {
  expect((await findBrowser(launcher, {})).path).toBe(program)
})

test('a browser is found by its path', async () => {
  await using folder = await openDataDir()
  const path = await putProgram(join(folder.path, 'my-browser'))

  expect(await findBrowser(path, {})).toEqual({ path, kind: 'chromium', version: '1.2.3.4' })
})

test.each([
  ['/nowhere/chromium', 'not found'],
  ['/etc/passwd', 'not executable'],
  ['/usr/bin/true', '--version printed'],
  ['/usr/bin/false', '--version failed'],
  ['firefox', 'neither "shell", "chromium" nor an absolute path'],
])('%s is rejected as a browser', async (path, reason) => {
  await expect(findBrowser(path, {})).rejects.toMatchObject({
    code: 'BROWSER_NOT_FOUND',
    message: expect.stringContaining(reason),
  })
})

test('the newest browser in the cache of Playwright comes first', async () => {
  await using cache = await openDataDir()
  await putProgram(join(cache.path, 'chromium_headless_shell-999/chrome-linux/headless_shell'))
  const newest = await putProgram(
    join(cache.path, 'chromium_headless_shell-1255/chrome-headless-shell-linux64/chrome-headless-shell'),
  )

  const places = await placesOf('shell', { PLAYWRIGHT_BROWSERS_PATH: cache.path })

  expect(places.find(({ path }) => path?.startsWith(cache.path))?.path).toBe(newest)
})

test('a browser in the cache of Puppeteer is found', async () => {
  await using home = await openDataDir()
  const path = await putProgram(join(home.path, '.cache/puppeteer/chrome/linux-131.0.6778.204/chrome-linux64/chrome'))

  const places = await placesOf('chromium', { HOME: home.path })

  expect(places).toContainEqual({ path, kind: 'chromium' })
})

test('a browser on PATH is found', async () => {
  await using folder = await openDataDir()
  const path = await putProgram(join(folder.path, 'google-chrome'))

  const browsers = await listBrowsers({ PATH: folder.path })

  expect(browsers.map(({ found }) => found?.path)).toContain(path)
})

test('the list has each location with its browser or the problem', async () => {
  const browsers = await listBrowsers({})

  expect(browsers.map(({ found }) => found?.path)).toEqual(expect.arrayContaining([shellPath, chromiumPath]))
  expect(browsers).toContainEqual({ location: 'google-chrome on PATH', found: undefined, problem: 'not found' })
})

test('a symbolic link to a launcher script resolves to its browser', async () => {
  await using folder = await openDataDir()
  await symlink('/usr/bin/chromium', join(folder.path, 'chromium'))

  expect((await findBrowser(join(folder.path, 'chromium'), {})).path).toBe(chromiumPath)
})
