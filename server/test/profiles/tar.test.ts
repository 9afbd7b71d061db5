import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pack } from 'tar-stream'
import { expect, test } from 'vitest'
import { packProfile } from '../../src/profiles/pack.ts'
import { unpackProfile } from '../../src/profiles/unpack.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'

type Files = Readonly<Record<string, string | Buffer>>

/** Names that do not fit into the first field of a tar header, or are not ASCII. */
const unusualNames = [
  `Default/IndexedDB/${'long/'.repeat(30)}name`,
  `Default/IndexedDB/${'longer'.repeat(40)}`,
  'Default/IndexedDB/données',
  `Default/IndexedDB/${'é'.repeat(110)}`,
]

/** A tar as written by earlier versions of the server, with the package tar-stream. */
async function tarOf(files: Files): Promise<Buffer> {
  const tar = pack()
  for (const [name, content] of Object.entries(files)) tar.entry({ name, mode: 0o600 }, content)
  tar.finalize()
  return buffer(tar)
}

/** Unpacks a tar, expects these files, and returns its session cookies. */
async function expectUnpacked(tar: Buffer, files: Files): Promise<string> {
  await using folder = await temporaryFolder()
  const sessionCookiesJson = await unpackProfile(Readable.from([tar]), folder.path, 1e9)
  const found = await readdir(folder.path, { recursive: true, withFileTypes: true })
  expect(found.filter((entry) => entry.isFile())).toHaveLength(Object.keys(files).length)
  for (const [path, content] of Object.entries(files)) {
    expect(Buffer.from(content).equals(await readFile(join(folder.path, path))), path).toBe(true)
  }
  return sessionCookiesJson
}

/** The files below a folder that this process has open. */
async function openFilesIn(folder: string): Promise<readonly string[]> {
  const descriptors = await readdir('/proc/self/fd')
  const paths = await Promise.all(descriptors.map(async (name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
  return paths.filter((path) => path.startsWith(folder))
}

function changeByte(bytes: Buffer, offset: number): Buffer {
  const changed = Buffer.from(bytes)
  changed.writeUInt8(changed.readUInt8(offset) ^ 1, offset)
  return changed
}

/** Changes the size in the first header of a tar, and its checksum accordingly. */
function withSize(tar: Buffer, size: string): Buffer {
  const changed = Buffer.from(tar)
  changed.write(size, 124, 'latin1')
  changed.fill(' ', 148, 156)
  const sum = changed.subarray(0, 512).reduce((total, byte) => total + byte, 0)
  changed.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return changed
}

test('a tar of an earlier version, which used tar-stream, is unpacked', async () => {
  const files = {
    'Default/Cookies': randomBytes(700_000),
    'Default/Local Storage/leveldb/empty': '',
    'Default/Preferences': 'a'.repeat(512),
    ...Object.fromEntries(unusualNames.map((name) => [name, name])),
  }

  expect(await expectUnpacked(await tarOf({ 'bowline.json': '{"a":"ä"}', ...files }), files)).toBe('{"a":"ä"}')
})

test('a packed profile keeps names that are long or not ASCII', async () => {
  await using source = await temporaryFolder()
  const files = Object.fromEntries(unusualNames.map((name) => [name, name]))
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(source.path, path)), { recursive: true })
    await writeFile(join(source.path, path), content)
  }

  const tar = await buffer(packProfile(source.path, '{"a":"ä"}', 1e9).stream)

  expect(await expectUnpacked(tar, files)).toBe('{"a":"ä"}')
})

test('packing closes its files when its reader leaves', async () => {
  await using source = await temporaryFolder()
  await mkdir(join(source.path, 'Default'))
  await writeFile(join(source.path, 'Default/Cookies'), Buffer.alloc(20_000_000))
  const reader = packProfile(source.path, '{}', 1e9).stream.getReader()
  await reader.read()
  await expect.poll(async () => openFilesIn(source.path)).toContain(join(source.path, 'Default/Cookies'))

  await reader.cancel()

  await expect.poll(async () => openFilesIn(source.path)).toEqual([])
})

test.each<[string, (tar: Buffer) => Buffer]>([
  ['is empty', () => Buffer.alloc(0)],
  ['has no end', (tar) => tar.subarray(0, -1024)],
  ['ends within its end', (tar) => tar.subarray(0, -512)],
  ['ends within a file', (tar) => tar.subarray(0, 512 + 700)],
  ['ends within a header', (tar) => tar.subarray(0, 300)],
  ['continues after its end', (tar) => Buffer.concat([tar, tar])],
  ['has a header that was changed', (tar) => changeByte(tar, 0)],
  ['has a size that is not a number', (tar) => withSize(tar, '9zzzzzzzzzz')],
  ['has a negative size', (tar) => withSize(tar, '-0000000700')],
  ['has a negative size in base 256', (tar) => withSize(tar, `${'\xff'.repeat(11)}\x80`)],
])('a tar that %s is rejected', async (_what, damage) => {
  await using folder = await temporaryFolder()
  const tar = damage(await tarOf({ 'Default/Cookies': Buffer.alloc(1000, 'a') }))

  await expect(unpackProfile(Readable.from([tar]), folder.path, 1e9)).rejects.toThrow(/truncated|Invalid|too large/)
})

test('a tar whose header states more bytes than the quota is rejected', async () => {
  await using folder = await temporaryFolder()
  const tar = withSize(await tarOf({ 'Default/Cookies': 'a' }), '77777777777')

  await expect(unpackProfile(Readable.from([tar]), folder.path, 1e6)).rejects.toMatchObject({
    code: 'PROFILE_TOO_LARGE',
  })
  expect(await readdir(folder.path)).toEqual([])
})

test('unpacking closes its source when it rejects an entry, even if the source stalls', async () => {
  await using folder = await temporaryFolder()
  const source = new PassThrough()
  const tar = await tarOf({ 'Default/Extensions/evil': Buffer.alloc(100_000) })
  source.write(tar.subarray(0, 50_000))

  await expect(unpackProfile(source, folder.path, 1e9)).rejects.toMatchObject({ code: 'PROFILE_UNREADABLE' })

  expect(source.destroyed).toBe(true)
})
