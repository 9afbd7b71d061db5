import { execFileSync } from 'node:child_process'
import { lstat, mkdtempDisposable, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Bowline, type Session } from '../../src/index.ts'
import { createSessionFiles } from '../../src/client/session-files.ts'
import { startLab } from '../lab/lab.ts'
import { startForeignService } from './foreign-service.ts'

const fixture = new AsyncDisposableStack()
let bowline: Bowline
let session: Session
let folder: string

beforeAll(async () => {
  const lab = fixture.use(await startLab({ maxFilesMb: 1 }))
  bowline = fixture.use(new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false }))
  session = fixture.use(await bowline.sessions.create({ ttl: 120 }))
  folder = fixture.use(await mkdtempDisposable(join(tmpdir(), 'session-files-'))).path
})

afterAll(async () => {
  await fixture.disposeAsync()
})

test('paths, Blobs and streams can be uploaded, listed, read, saved and deleted', async () => {
  const path = join(folder, 'a.txt')
  await writeFile(path, 'from disk')

  const sent = await session.files.upload(path)
  await session.files.upload(new Blob(['from a blob']), { name: 'b.txt' })
  await session.files.upload(new Blob(['from a stream']).stream(), { name: 'below/c.txt' })
  const names = (await session.files.list()).map((file) => file.name)
  await session.files.download('b.txt', join(folder, 'saved.txt'))

  expect(sent.path).toMatch(/\/a\.txt$/)
  expect(names).toEqual(['a.txt', 'b.txt', 'below/c.txt'])
  expect(await readFile(join(folder, 'saved.txt'), 'utf8')).toBe('from a blob')
  expect(await text(await session.files.read('below/c.txt'))).toBe('from a stream')
  for (const name of names) await session.files.delete(name)
  expect(await session.files.list()).toEqual([])
})

test('a File is uploaded with its name and its time', async () => {
  const file = new File(['named'], 'named.txt', { lastModified: 1_700_000_000_000 })

  const sent = await session.files.upload(file)
  await session.files.upload(new File(['unnamed'], ''))

  expect(sent.path).toMatch(/\/named\.txt$/)
  expect((await session.files.list()).map(({ name }) => name)).toEqual(['named.txt', 'file'])
  for (const name of ['named.txt', 'file']) await session.files.delete(name)
})

test('a service that responds to an upload without a body is reported', async () => {
  await using service = await startForeignService(({ path }, response) => {
    if (!path.includes('/files')) return false
    response.writeHead(204).end()
    return true
  })
  const files = createSessionFiles(session.cdpUrl.replace(/\/\/[^/]+/, service.url.replace('http:', '')))

  await expect(files.upload(new Blob(['x']))).rejects.toMatchObject({ code: 'RESPONSE_INVALID', status: 204 })
})

test('an empty file can be uploaded and read', async () => {
  await writeFile(join(folder, 'empty'), '')

  await session.files.upload(join(folder, 'empty'))
  await session.files.download('empty', join(folder, 'empty-too'))

  expect(await readFile(join(folder, 'empty-too'), 'utf8')).toBe('')
  await session.files.delete('empty')
})

test('a pipe is uploaded to its end, and a download to a device keeps the device', async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  await symlink('/dev/null', join(folder, 'nothing'))

  const [{ file }] = await Promise.all([session.files.upload(pipe), writeFile(pipe, 'through a pipe')])
  await session.files.download('pipe', join(folder, 'nothing'))

  expect(file.size).toBe(14)
  expect((await lstat(join(folder, 'nothing'))).isSymbolicLink()).toBe(true)
  await expect(session.files.upload(folder)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  await session.files.delete('pipe')
})

test('the files of a session are available by its id', async () => {
  await session.files.upload(new Blob(['x']), { name: 'x' })

  const files = await bowline.sessions.files(session.id)

  expect(await files.list()).toMatchObject([{ name: 'x', size: 1 }])
  await files.delete('x')
})

test('a refused request is an error with its code and without the token', async () => {
  const missing = await session.files.read('nothing').catch((error: unknown) => error)
  const large = session.files.upload(new Blob([new Uint8Array(1_000_001)]))

  expect(missing).toMatchObject({ code: 'FILE_NOT_FOUND', status: 404, requestId: expect.any(String) as string })
  expect(String(missing)).not.toContain(new URL(session.cdpUrl).searchParams.get('token'))
  await expect(large).rejects.toMatchObject({ code: 'FILE_QUOTA_EXCEEDED', status: 413 })
})

test('a failed download leaves the local file unchanged and no partial file', async () => {
  const path = join(folder, 'kept.txt')
  await writeFile(path, 'as before')

  await expect(session.files.download('nothing', path)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  await expect(session.files.download('nothing', path, { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow(
    'no',
  )

  expect(await readFile(path, 'utf8')).toBe('as before')
  expect((await readdir(folder)).filter((name) => name.endsWith('.crdownload'))).toEqual([])
})

test('an aborted upload leaves no file in the session', async () => {
  const stop = new AbortController()
  const slow = new ReadableStream<Uint8Array>({ start: (to) => to.enqueue(new Uint8Array(1000)) })

  const sending = session.files.upload(slow, { name: 'slow', signal: stop.signal })
  await expect.poll(async () => session.files.list()).toMatchObject([{ name: 'slow', complete: false }])
  stop.abort(new Error('no longer needed'))

  await expect(sending).rejects.toThrow('no longer needed')
  await expect.poll(async () => session.files.list()).toEqual([])
})
