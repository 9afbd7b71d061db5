import { mkdir, mkdtempDisposable, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openPipe } from '../../src/cdp/pipe.ts'
import { routePipe } from '../../src/cdp/router.ts'
import { Downloads } from '../../src/files/downloads.ts'
import { SessionFiles, type FilesOwner } from '../../src/files/session-files.ts'

/** Downloads of a session whose browser says what the test makes it say. */
async function openDownloads(undo: AsyncDisposableStack) {
  const dir = undo.use(await mkdtempDisposable(join(tmpdir(), 'downloads-')))
  const [downloadsDir, secret] = [join(dir.path, 'downloads'), join(dir.path, 'secret')]
  await mkdir(downloadsDir)
  await writeFile(secret, 'secret')
  const fromBrowser = new PassThrough()
  const router = routePipe(openPipe(new PassThrough(), fromBrowser))
  const folder = { downloadsDir, uploadsDir: dir.path, visiblePaths: { downloadsDir, uploadsDir: dir.path } }
  const session = { browser: { router, folder }, ended: new AbortController().signal, touch: () => undefined }
  const sessionFiles = new SessionFiles(session as unknown as FilesOwner, { maxFiles: 9, maxFilesMb: 1 })
  undo.use(new Downloads(sessionFiles, () => undefined))
  const say = async (method: string, params: object): Promise<void> => {
    fromBrowser.write(`${JSON.stringify({ method: `Browser.${method}`, params })}\0`)
    await setImmediate()
  }
  return { downloadsDir, secret, sessionFiles, say }
}

test('a compromised browser cannot report a file of the server as its download', async () => {
  await using undo = new AsyncDisposableStack()
  const { secret, sessionFiles, say } = await openDownloads(undo)

  await say('downloadWillBegin', { guid: '../secret', suggestedFilename: 'a.txt' })
  await say('downloadProgress', { guid: '../secret', totalBytes: 6, receivedBytes: 6, state: 'completed' })
  await expect(sessionFiles.open('a.txt')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  await say('downloadProgress', { guid: '../secret', totalBytes: 6, receivedBytes: 6, state: 'canceled' })

  expect(await readFile(secret, 'utf8')).toBe('secret')
})

test('a file can be read by a client that learns of the end of its download before the server', async () => {
  await using undo = new AsyncDisposableStack()
  const { downloadsDir, sessionFiles, say } = await openDownloads(undo)
  await say('downloadWillBegin', { guid: 'guid', suggestedFilename: 'a.txt' })
  await writeFile(join(downloadsDir, 'guid'), 'content')

  const opening = sessionFiles.open('guid')
  await setImmediate()
  await say('downloadProgress', { guid: 'guid', totalBytes: 7, receivedBytes: 7, state: 'completed' })
  const { entry, close } = await opening
  await close()

  expect(entry).toMatchObject({ name: 'a.txt', size: 7, state: { kind: 'complete' } })
})

test('a file that is missing, a link or a folder is not found, and other errors of the disk are reported', async () => {
  await using undo = new AsyncDisposableStack()
  const { downloadsDir, secret, sessionFiles, say } = await openDownloads(undo)
  for (const guid of ['missing', 'link', 'folder']) {
    await say('downloadWillBegin', { guid, suggestedFilename: guid })
    await say('downloadProgress', { guid, totalBytes: 7, receivedBytes: 7, state: 'completed' })
  }
  await symlink(secret, join(downloadsDir, 'link'))
  await mkdir(join(downloadsDir, 'folder'))

  for (const guid of ['missing', 'link', 'folder']) {
    await expect(sessionFiles.open(guid), guid).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  }
  await rm(downloadsDir, { recursive: true })
  await writeFile(downloadsDir, 'no folder')

  await expect(sessionFiles.open('missing')).rejects.toMatchObject({ code: 'ENOTDIR' })
})
