import { execFileSync } from 'node:child_process'
import { lstat, mkdtempDisposable, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Bowline, type Session } from '../../src/index.ts'
import { createSessionFiles } from '../../src/client/session-files.ts'
import { startCuttingProxy } from '../lab/cutting-proxy.ts'
import { startLab } from '../lab/lab.ts'
import { startForeignService } from './foreign-service.ts'

const fixture = new AsyncDisposableStack()
let bowline: Bowline
let serverUrl: string
let session: Session
let folder: string

beforeAll(async () => {
  const lab = fixture.use(await startLab({ maxFilesMb: 1 }))
  serverUrl = lab.server.url
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

describe('a connection that is cut during a download', () => {
  const content = Buffer.from(Array.from({ length: 900_000 }, (_, index) => index % 251))

  /** Connects to files through a proxy that cuts the first download. Collects `Range` headers. */
  async function startCut(cdpUrl: string, retries: number) {
    const proxy = await startCuttingProxy(serverUrl)
    proxy.cutResponse('/files/cut.bin', 300_000)
    const ranges: (string | null)[] = []
    const files = createSessionFiles(cdpUrl.replace(/\/\/[^/]+/, proxy.url.replace('http:', '')), {
      fetch: async (input) => {
        ranges.push((input as Request).headers.get('range'))
        return fetch(input)
      },
      headers: {},
      retries,
    })
    return { files, ranges, [Symbol.asyncDispose]: async () => proxy[Symbol.asyncDispose]() }
  }

  test('is replaced by one that continues where it stopped', async () => {
    await session.files.upload(new Blob([content]), { name: 'cut.bin' })
    await using fixture = await startCut(session.cdpUrl, 1)

    await fixture.files.download('cut.bin', join(folder, 'continued.bin'))

    expect(await readFile(join(folder, 'continued.bin'))).toEqual(content)
    expect(fixture.ranges).toEqual([null, expect.stringMatching(/^bytes=[1-9]\d+-$/)])
    await session.files.delete('cut.bin')
  })

  test('causes CONNECTION_FAILED without retries, and leaves no partial file', async () => {
    await session.files.upload(new Blob([content]), { name: 'cut.bin' })
    await using fixture = await startCut(session.cdpUrl, 0)

    const error = await fixture.files.download('cut.bin', join(folder, 'failed.bin')).catch((thrown: unknown) => thrown)

    expect(error).toMatchObject({
      code: 'CONNECTION_FAILED',
      message: expect.stringMatching(/^GET http:\S+\/files\/cut\.bin failed: ./) as string,
    })
    expect(fixture.ranges).toEqual([null])
    expect((await readdir(folder)).filter((name) => /failed|crdownload/.test(name))).toEqual([])
    await session.files.delete('cut.bin')
  })

  test('is replaced for a kept file, which is sent without `Range`', async () => {
    const ended = await bowline.sessions.create({ ttl: 60, keepFiles: true })
    await ended.files.upload(new Blob([content]), { name: 'cut.bin' })
    await ended.end()
    await using fixture = await startCut(ended.cdpUrl, 1)

    expect(await buffer(await fixture.files.read('cut.bin'))).toEqual(content)
    expect(fixture.ranges).toHaveLength(2)
  })
})

test('concurrent downloads to the same path each write their own file', async () => {
  const contents = ['a', 'b', 'c'].map((letter) => letter.repeat(300_000))
  for (const content of contents) await session.files.upload(new Blob([content]), { name: content.slice(0, 1) })
  const path = join(folder, 'shared.txt')

  await Promise.all(contents.map(async (content) => session.files.download(content.slice(0, 1), path)))

  expect(contents).toContain(await readFile(path, 'utf8'))
  for (const content of contents) await session.files.delete(content.slice(0, 1))
})

test('a file with a name of 255 bytes can be saved', async () => {
  const name = 'n'.repeat(255)
  await session.files.upload(new Blob(['long']), { name })

  await session.files.download(name, join(folder, name))

  expect(await readFile(join(folder, name), 'utf8')).toBe('long')
  await session.files.delete(name)
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
