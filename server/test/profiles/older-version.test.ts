import { randomBytes } from 'node:crypto'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { flushStorage } from '../../src/browsers/flush-storage.ts'
import { openBrowserHost } from '../../src/browsers/host.ts'
import { launchBrowser, type Browser } from '../../src/browsers/launch.ts'
import { readArchive, writeArchive } from '../../src/profiles/archives.ts'
import { openBlobs } from '../../src/blobs/blobs.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { openDataDir, openBrowserFixture } from '../browsers/browser-fixture.ts'

const olderVersion = '120.0.6099.5'

/** Opens the storage page in the parked page and evaluates an expression there. */
async function evaluateAt({ router, parkedTargetId }: Browser, site: Site, expression: string): Promise<unknown> {
  const attached = await router.call('Target.attachToTarget', { targetId: parkedTargetId, flatten: true })
  const session = attached.sessionId
  await router.callIn(session)('Page.enable')
  const loaded = Promise.withResolvers<void>()
  using stop = new DisposableStack()
  stop.defer(
    router.onEvent(({ method, sessionId }) => {
      if (method === 'Page.loadEventFired' && sessionId === session) loaded.resolve()
    }),
  )
  await router.callIn(session)('Page.navigate', { url: site.url('/storage') })
  await loaded.promise
  const answer = await router.callIn(session)('Runtime.evaluate', {
    expression,
    awaitPromise: true,
    returnByValue: true,
  })
  return (answer['result'] as { readonly value?: unknown }).value
}

/** Changes a profile so that its last version is an older Chromium. */
async function makeOlder(userDataDir: string): Promise<void> {
  const path = join(userDataDir, 'Default/Preferences')
  const preferences = JSON.parse(await readFile(path, 'utf8')) as Record<string, object>
  const { profile, extensions } = preferences
  preferences['profile'] = { ...profile, created_by_version: olderVersion }
  preferences['extensions'] = { ...extensions, last_chrome_version: olderVersion }
  await writeFile(path, JSON.stringify(preferences))
  await writeFile(join(userDataDir, 'Last Version'), olderVersion)
}

/**
 * Reads a profile that `writer` wrote and `alter` changed, in the newest Chromium of this machine.
 */
async function carryOver(writer: string, alter: (userDataDir: string) => Promise<void>): Promise<unknown> {
  await using undo = new AsyncDisposableStack()
  const site = undo.use(await startSite())
  const folder = undo.use(await temporaryFolder())
  const dataDir = undo.use(await openDataDir())
  const host = undo.use(await openBrowserFixture('chromium'))
  const older = undo.use(await openBrowserHost({ dataDir: dataDir.path, choice: writer, environment: process.env }))
  const blobs = await openBlobs({ kind: 'folder', path: join(folder.path, 'blobs') })
  const parts = { blobs, key: { bytes: randomBytes(32), id: 'key' }, quotaBytes: 1e8 }
  const restored = join(folder.path, 'restored')
  await mkdir(restored)
  {
    await using browser = await launchBrowser(older)
    await evaluateAt(browser, site, `document.cookie = 'kept=yes; max-age=3600'; remember('kept')`)
    await flushStorage(browser, AbortSignal.timeout(20_000))
    await browser.stop()
    const { userDataDir } = browser.folder
    const archive = await writeArchive(parts, 'profile', { userDataDir, sessionCookiesJson: '{}' })
    await readArchive(parts, { ...archive, profileId: 'profile' }, restored)
  }
  await alter(restored)
  const fillUserDataDir = async ({ userDataDir }: Browser['folder']): Promise<void> =>
    cp(restored, userDataDir, { recursive: true })
  await using browser = await launchBrowser(host, { fillUserDataDir })
  return await evaluateAt(browser, site, 'recall()')
}

const everything = { cookies: 'kept=yes', localStorage: 'kept', indexedDB: 'kept' }

test('a profile marked as written by an older Chromium opens with all its data', { timeout: 60_000 }, async () => {
  expect(await carryOver('chromium', makeOlder)).toEqual(everything)
})

const older = process.env['BOWLINE_TEST_OLDER_CHROMIUM'] ?? ''

test.skipIf(older === '')(
  'a profile written by an older Chromium opens (skipped unless BOWLINE_TEST_OLDER_CHROMIUM names one)',
  { timeout: 60_000 },
  async () => {
    expect(await carryOver(older, async () => undefined)).toEqual(everything)
  },
)
