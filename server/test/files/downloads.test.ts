import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openPipe } from '../../src/cdp/pipe.ts'
import { routePipe } from '../../src/cdp/router.ts'
import { Downloads } from '../../src/files/downloads.ts'
import { SessionFiles, type FilesOwner } from '../../src/files/session-files.ts'

test('a compromised browser cannot report a file of the server as its download', async () => {
  await using dir = await mkdtempDisposable(join(tmpdir(), 'downloads-'))
  const [downloadsDir, secret] = [join(dir.path, 'downloads'), join(dir.path, 'secret')]
  await mkdir(downloadsDir)
  await writeFile(secret, 'secret')
  const fromBrowser = new PassThrough()
  const router = routePipe(openPipe(new PassThrough(), fromBrowser))
  const folder = { downloadsDir, uploadsDir: dir.path, visiblePaths: { downloadsDir, uploadsDir: dir.path } }
  const session = { browser: { router, folder }, ended: new AbortController().signal, touch: () => undefined }
  const sessionFiles = new SessionFiles(session as unknown as FilesOwner, { maxFiles: 9, maxFilesMb: 1 })
  const _downloads = new Downloads(sessionFiles, () => undefined)
  const say = async (method: string, params: object): Promise<void> => {
    fromBrowser.write(`${JSON.stringify({ method: `Browser.${method}`, params })}\0`)
    await setImmediate()
  }

  await say('downloadWillBegin', { guid: '../secret', suggestedFilename: 'a.txt' })
  await say('downloadProgress', { guid: '../secret', totalBytes: 6, receivedBytes: 6, state: 'completed' })
  await expect(sessionFiles.open('a.txt')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  await say('downloadProgress', { guid: '../secret', totalBytes: 6, receivedBytes: 6, state: 'canceled' })

  expect(await readFile(secret, 'utf8')).toBe('secret')
})
