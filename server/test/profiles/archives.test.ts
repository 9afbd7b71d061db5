import { randomBytes } from 'node:crypto'
import { link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { zstdCompressSync } from 'node:zlib'
import { pack, type Header } from 'tar-stream'
import { describe, expect, test } from 'vitest'
import type { BowlineError } from '../../../src/kit/errors.ts'
import { readArchive, writeArchive, type Archive, type ArchiveDeps } from '../../src/profiles/archives.ts'
import { encryptStream } from '../../src/profiles/encrypt-stream.ts'
import { openBlobs } from '../../src/blobs/blobs.ts'
import {
  describeEachLocation,
  openFolderLocation,
  openS3Location,
  type LabBlobLocation,
} from '../../../test/lab/blob-locations.ts'
import { canMount, mountSmallDisk } from '../../../test/lab/small-disk.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'

const profileId = '01a1fd15-0c10-7879-aa7c-0b034b2f48df'
const key = { bytes: randomBytes(32), id: 'one key' }

async function openProfileDeps({ location }: LabBlobLocation, quotaBytes = 1e9): Promise<ArchiveDeps> {
  return {
    blobs: await openBlobs(location),
    key,
    quotaBytes,
  }
}

/** Writes files to a folder, like a browser. */
async function fill(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [path, contents] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), contents)
  }
}

async function filesOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const contents = await Promise.all(files.map(async (path) => [path.slice(folder.length + 1), await readFile(path)]))
  return Object.fromEntries(contents.map(([path, bytes]) => [path, bytes!.toString('latin1')]))
}

async function restore(parts: ArchiveDeps, archive: Pick<Archive, 'blob' | 'keyId'>, id = profileId) {
  await using folder = await temporaryFolder()
  const sessionCookiesJson = await readArchive(parts, { profileId: id, ...archive }, folder.path)
  return { sessionCookiesJson, files: await filesOf(folder.path) }
}

/** Stores a tar like the server: compressed, and encrypted with the key. */
async function encryptTar(parts: ArchiveDeps, tar: Buffer): Promise<Pick<Archive, 'blob' | 'keyId'>> {
  const blob = 'profiles/sealed'
  const sealed = encryptStream(Readable.from([zstdCompressSync(tar)]), key.bytes, `${profileId} ${blob}`)
  await parts.blobs.write(blob, Readable.from(sealed, { objectMode: false }))
  return { blob, keyId: key.id }
}

test('the error for an archive in an unresponsive bucket suggests a retry and hides the URL', async () => {
  const lab = await openS3Location()
  await using source = await temporaryFolder()
  await fill(source.path, { 'Default/Cookies': 'cookies' })
  const parts = await openProfileDeps(lab)
  const archive = await writeArchive(parts, profileId, { userDataDir: source.path, sessionCookiesJson: '{}' })
  await lab[Symbol.asyncDispose]()

  const error: unknown = await restore(parts, archive).catch((cause: unknown) => cause)

  expect(error).toMatchObject({ code: 'PROFILE_STORAGE_UNAVAILABLE', status: 503, retryAfterSeconds: 5 })
  expect((error as BowlineError).message + (error as BowlineError).hint).not.toMatch(/127\.0\.0\.1|rollback/)
})

test.skipIf(!canMount)(
  'the error for an archive that does not fit on the disk (mounting it needs root) says so',
  async () => {
    await using lab = await openFolderLocation()
    await using source = await temporaryFolder()
    await using disk = await mountSmallDisk(1)
    await fill(source.path, { 'Default/Cookies': 'cookies' })
    const deps = await openProfileDeps(lab)
    const archive = await writeArchive(deps, profileId, { userDataDir: source.path, sessionCookiesJson: '{}' })
    disk.fill()

    const reading = readArchive(deps, { profileId, ...archive }, disk.path)

    await expect(reading).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: 'The disk of the server is full',
    })
  },
)

describeEachLocation('an archive', (open) => {
  test('holds the profile files and session cookies, and no caches', async () => {
    await using lab = await open()
    await using source = await temporaryFolder()
    const kept = {
      'Default/Cookies': 'cookies',
      'Default/Local Storage/leveldb/000003.log': randomBytes(300_000).toString('latin1'),
      'Default/Service Worker/ScriptCache/index': 'scripts',
    }
    await fill(source.path, { 'Default/Local Storage/leveldb/empty': '', 'Default/Cookies': kept['Default/Cookies'] })
    await fill(
      source.path,
      Object.fromEntries(Object.entries(kept).map(([path, text]) => [path, Buffer.from(text, 'latin1')])),
    )
    await fill(source.path, {
      'Default/Cache/Cache_Data/data_0': 'cache',
      'Default/History': 'history',
      'Default/Local Storage/leveldb/LOCK': '',
      SingletonLock: 'lock',
    })
    const parts = await openProfileDeps(lab)

    const archive = await writeArchive(parts, profileId, { userDataDir: source.path, sessionCookiesJson: '{"a":1}' })

    const restored = await restore(parts, archive)
    expect(restored).toEqual({
      sessionCookiesJson: '{"a":1}',
      files: { ...kept, 'Default/Local Storage/leveldb/empty': '' },
    })
    expect(archive.contentBytes).toBeGreaterThan(300_000)
    expect(archive.storedBytes).toBeGreaterThan(200_000)
  })

  test('that is not in this blob store gets a clear error', async () => {
    await using lab = await open()

    await expect(
      restore(await openProfileDeps(lab), { blob: 'profiles/elsewhere', keyId: key.id }),
    ).rejects.toMatchObject({
      code: 'PROFILE_UNREADABLE',
      message: 'The saved profile is missing from the storage of this server',
    })
  })

  test('does not reveal its contents', async () => {
    await using lab = await open()
    await using source = await temporaryFolder()
    await fill(source.path, { 'Default/Cookies': 'very secret cookie' })
    const parts = await openProfileDeps(lab)

    const { blob } = await writeArchive(parts, profileId, {
      userDataDir: source.path,
      sessionCookiesJson: 'very secret cookies',
    })

    const stored = (await buffer(await parts.blobs.read(blob))).toString('latin1')
    expect(stored.length).toBeGreaterThan(100)
    expect(stored).not.toMatch(/secret|Cookies|ustar/)
  })

  test('over the quota is not stored', async () => {
    await using lab = await open()
    await using source = await temporaryFolder()
    await fill(source.path, { 'Default/Cookies': Buffer.alloc(2_000_000) })
    const parts = await openProfileDeps(lab, 1_000_000)

    const writing = writeArchive(parts, profileId, { userDataDir: source.path, sessionCookiesJson: '' })

    await expect(writing).rejects.toMatchObject({ code: 'PROFILE_TOO_LARGE', message: expect.stringContaining('1 MB') })
    expect(await Array.fromAsync(parts.blobs.list('profiles'))).toEqual([])
  })
})

describe('an archive is rejected', () => {
  const unreadable = { code: 'PROFILE_UNREADABLE' }

  const openSaved = async (undo: AsyncDisposableStack) => {
    const parts = await openProfileDeps(undo.use(await openFolderLocation()))
    const source = undo.use(await temporaryFolder())
    await fill(source.path, { 'Default/Cookies': randomBytes(200_000) })
    const archive = await writeArchive(parts, profileId, { userDataDir: source.path, sessionCookiesJson: '{}' })
    const bytes = await buffer(await parts.blobs.read(archive.blob))
    const replace = async (changed: Buffer): Promise<void> => parts.blobs.write(archive.blob, Readable.from([changed]))
    return { parts, archive, bytes, replace }
  }

  test('if any single bit was changed', async () => {
    await using undo = new AsyncDisposableStack()
    const { parts, archive, bytes, replace } = await openSaved(undo)
    const offsets = [0, 4, 19, 20, 65_555, 65_556, bytes.length - 17, bytes.length - 1]

    for (const offset of offsets) {
      const changed = Buffer.from(bytes)
      changed.writeUInt8(changed.readUInt8(offset) ^ 1, offset)
      await replace(changed)

      await expect(restore(parts, archive), `bit at ${offset}`).rejects.toMatchObject(unreadable)
    }
  })

  test('if it was truncated, even between two chunks, or extended', async () => {
    await using undo = new AsyncDisposableStack()
    const { parts, archive, bytes, replace } = await openSaved(undo)
    const chunk = 65_536 + 16

    for (const changed of [
      Buffer.alloc(0),
      bytes.subarray(0, 20),
      bytes.subarray(0, 20 + chunk),
      bytes.subarray(0, -1),
      Buffer.concat([bytes, bytes.subarray(20)]),
    ]) {
      await replace(changed)

      await expect(restore(parts, archive)).rejects.toMatchObject(unreadable)
    }
  })

  test('if it belongs to another profile or is encrypted with another key', async () => {
    await using undo = new AsyncDisposableStack()
    const { parts, archive } = await openSaved(undo)
    const otherKey = { bytes: randomBytes(32), id: 'another key' }

    await expect(restore(parts, archive, 'another profile')).rejects.toMatchObject(unreadable)
    await expect(restore({ ...parts, key: otherKey }, archive)).rejects.toMatchObject({
      ...unreadable,
      message: expect.stringContaining('another key'),
      hint: expect.stringContaining('--profile-key'),
    })
    await expect(restore({ ...parts, key: { ...otherKey, id: key.id } }, archive)).rejects.toMatchObject(unreadable)
  })

  test.each<[string, Partial<Header> & { name: string }]>([
    ['a path outside the folder', { name: 'Default/Cookies/../../../evil' }],
    ['an absolute path', { name: '/tmp/evil' }],
    ['a file that is not part of a profile', { name: 'Default/Extensions/evil' }],
    ['a link', { name: 'Default/Cookies', type: 'symlink', linkname: '/etc/passwd' }],
    ['a hard link', { name: 'Default/Cookies', type: 'link', linkname: '/etc/passwd' }],
    ['a device', { name: 'Default/Cookies', type: 'character-device' }],
  ])('if it contains %s, even if encrypted with the right key', async (_what, header) => {
    await using lab = await openFolderLocation()
    const parts = await openProfileDeps(lab)
    const tar = pack()
    tar.entry(header, '')
    tar.finalize()
    const archive = await encryptTar(parts, await buffer(tar))

    await expect(restore(parts, archive)).rejects.toMatchObject(unreadable)
  })

  test('if it unpacks to more than the quota', async () => {
    await using undo = new AsyncDisposableStack()
    const { parts, archive } = await openSaved(undo)

    await expect(restore({ ...parts, quotaBytes: 100_000 }, archive)).rejects.toMatchObject({
      code: 'PROFILE_TOO_LARGE',
    })
  })
})

test('links in the user-data-dir are not followed', async () => {
  await using lab = await openFolderLocation()
  await using source = await temporaryFolder()
  await using outside = await temporaryFolder()
  await fill(outside.path, { secret: 'of the server', 'leveldb/secret': 'of the server' })
  await fill(source.path, { 'Default/Preferences': '{}' })
  await symlink(join(outside.path, 'secret'), join(source.path, 'Default/Cookies'))
  await link(join(outside.path, 'secret'), join(source.path, 'Default/TransportSecurity'))
  await symlink(outside.path, join(source.path, 'Default/Local Storage'))
  const parts = await openProfileDeps(lab)

  const archive = await writeArchive(parts, profileId, { userDataDir: source.path, sessionCookiesJson: '{}' })

  expect((await restore(parts, archive)).files).toEqual({ 'Default/Preferences': '{}' })
})
