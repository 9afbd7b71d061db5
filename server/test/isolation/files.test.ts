import { homedir } from 'node:os'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowserHost, type BrowserHost } from '../../src/browsers/host.ts'
import { jailOf } from '../../src/browsers/isolation.ts'
import { knownIsolation } from '../../../test/lab/known-isolation.ts'
import { openBrowserFixture, openDataDir, until } from '../browsers/browser-fixture.ts'
import { openRawBrowser, type RawBrowser } from './raw-browser.ts'

const secret = 'the-secret-of-the-host'

const fileReader = `new Promise((done) => {
  const file = document.querySelector('input').files[0]
  if (file === undefined) return done('no file')
  const reader = new FileReader()
  reader.onload = () => done(reader.result)
  reader.onerror = () => done(String(reader.error))
  reader.readAsText(file)
})`

const hasBubblewrap = existsSync('/usr/bin/bwrap')

describe.runIf(hasBubblewrap).each(['shell', 'chromium'] as const)(
  'inside bubblewrap, with any CDP command to %s',
  (kind) => {
    let undo: AsyncDisposableStack
    let dataDir: string
    let host: BrowserHost
    let open: string
    let secretPath: string
    let raw: RawBrowser

    beforeAll(async () => {
      undo = new AsyncDisposableStack()
      dataDir = undo.use(await openDataDir()).path
      const isolation = await knownIsolation({ browser: kind, isolation: 'auto' })
      host = undo.use(await openBrowserHost({ dataDir, choice: kind, isolation, environment: process.env }))
      // A folder that every user can write to.
      open = await mkdtemp('/var/tmp/bowline-open-')
      undo.defer(async () => rm(open, { recursive: true }))
      await chmod(open, 0o777)
      secretPath = join(open, 'secret.txt')
      await writeFile(secretPath, secret, { mode: 0o644 })
      // With a profile that Bowline has not prepared, which simulates a compromised browser.
      raw = undo.use(await openRawBrowser(host, { extraArgs: ['--profile-directory=Free'] }))
    })
    afterAll(async () => undo.disposeAsync())

    test('no navigation shows a file of the host', async () => {
      const shown = [
        await raw.read(`file://${secretPath}`),
        await raw.read(`view-source:file://${secretPath}`),
        await raw.readInTab(`file://${secretPath}`),
        await raw.readInTab(`view-source:file://${secretPath}`),
      ]

      expect(shown.filter((text) => text.includes(secret))).toEqual([])
    })

    test('the files of the host do not exist', async () => {
      expect(jailOf(host.isolation)).toBeDefined()
      const ours = [`/proc/${process.pid}/cmdline`, `${homedir()}/`]
      for (const path of ['/etc/passwd', '/etc/hostname', ...ours, '/opt/', '/var/tmp/']) {
        expect(await raw.read(`file://${path}`), path).toMatch(/ERR_FILE_NOT_FOUND|ERR_ACCESS_DENIED|ERR_INVALID_URL/)
      }
    })

    test('no file input accepts a file of the host', async () => {
      await using other = await openRawBrowser(host)
      const { folder } = other.browser
      const foreign = join(folder.downloadsDir, 'theirs.txt')
      await writeFile(foreign, secret, { mode: 0o644 })
      await chmod(folder.downloadsDir, 0o777)
      await chmod(folder.root, 0o777)

      const read = []
      for (const path of [secretPath, '/etc/passwd', foreign, join(host.boot.path, 'server.json')]) {
        read.push(await takeFile(raw, path))
      }

      expect(read.filter((text) => text.includes(secret) || text.includes('root:') || text.includes('pid'))).toEqual([])
    })

    test('a file input accepts an uploaded file by the path inside the jail', async () => {
      const { folder } = raw.browser
      await writeFile(join(folder.uploadsDir, 'mine.txt'), 'mine', { mode: 0o644 })

      expect(await takeFile(raw, join(folder.visiblePaths.uploadsDir, 'mine.txt'))).toBe('mine')
      await rm(join(folder.uploadsDir, 'mine.txt'))
    })

    test('no download is written outside', async () => {
      const there = join(host.boot.path, 'open')
      await mkdir(there)
      await chmod(there, 0o777)
      for (const downloadPath of [
        open,
        there,
        '/etc',
        '/root',
        dataDir,
        '/usr/lib',
        raw.browser.folder.visiblePaths.uploadsDir,
      ]) {
        await raw.call('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath, eventsEnabled: true })
        await download(raw, 'planted.txt')
      }

      const found = [
        ...(await readdir(open)),
        ...(await readdir(there)),
        ...(await readdir(raw.browser.folder.uploadsDir)),
      ]
      expect(found).toEqual(['secret.txt'])
      for (const folder of ['/etc', '/root', dataDir, '/usr/lib']) {
        expect(existsSync(join(folder, 'planted.txt'))).toBe(false)
      }
      await rm(there, { recursive: true })
    })

    test("a download is written to the browser's folder by the path inside the jail", async () => {
      const { folder } = raw.browser
      const downloadPath = folder.visiblePaths.downloadsDir
      await raw.call('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath, eventsEnabled: true })

      await download(raw, 'kept.txt')

      await until(() => existsSync(join(folder.downloadsDir, 'kept.txt')), 'the download is written')
    })

    test('no trace is written to a file of the host', async () => {
      const path = join(open, 'trace')
      const config = `buffers { size_kb: 1024 } write_into_file: true output_path: "${path}" duration_ms: 100`
      const perfettoConfig = Buffer.from(config).toString('base64')

      await raw.call('Tracing.start', { perfettoConfig, transferMode: 'ReturnAsStream' }).catch(() => undefined)
      await raw.call('Tracing.end').catch(() => undefined)

      expect(await readdir(open)).toEqual(['secret.txt'])
    })

    test('its command line does not contain paths of the host', async () => {
      const { commandLine } = await raw.call('SystemInfo.getInfo')

      expect(commandLine).toContain('--user-data-dir=/browser/profile')
      expect(commandLine).not.toContain(dataDir)
    })
  },
)

test('without bubblewrap, CDP commands can read and write files of the host', async () => {
  await using host = await openBrowserFixture('shell', 'uid')
  await using raw = await openRawBrowser(host)
  const downloadPath = join(host.boot.path, 'open')
  await mkdir(downloadPath)
  await chmod(downloadPath, 0o777)

  expect(await raw.read('file:///etc/passwd')).toContain('root:')
  expect(await takeFile(raw, '/etc/passwd')).toContain('root:')
  await raw.call('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath, eventsEnabled: true })
  await download(raw, 'planted.txt')
  await until(() => existsSync(join(downloadPath, 'planted.txt')), 'the download is written')
})

/** Sets a path on a file input and returns what the page reads from it. */
async function takeFile(raw: RawBrowser, path: string): Promise<string> {
  await raw.read('data:text/html,<input type=file>')
  const { root } = await raw.onPage('DOM.getDocument')
  const { nodeId } = await raw.onPage('DOM.querySelector', {
    nodeId: (root as { nodeId: number }).nodeId,
    selector: 'input',
  })
  return raw.onPage('DOM.setFileInputFiles', { files: [path], nodeId }).then(
    async () => String(await raw.evaluate(fileReader)),
    (error: unknown) => String(error),
  )
}

/** Downloads a small file and waits until the browser reports the result. */
async function download(raw: RawBrowser, name: string): Promise<void> {
  const { router } = raw.browser
  const ended = Promise.withResolvers<void>()
  const stop = router.onEvent(({ method, params }) => {
    if (method === 'Browser.downloadProgress' && params?.['state'] !== 'inProgress') ended.resolve()
  })
  await raw.evaluate(`{ const link = document.createElement('a'); link.download = '${name}'
    link.href = URL.createObjectURL(new Blob(['planted'])); link.click() }`)
  await Promise.race([ended.promise, new Promise((resolve) => setTimeout(resolve, 5000))])
  stop()
}
