import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { openBlobs, parseBlobLocation } from '../../src/blobs/blobs.ts'
import { canMount, mountSmallDisk } from '../../../test/lab/small-disk.ts'
import { describeEachLocation, openCuttableBucket, openFolderLocation } from '../../../test/lab/blob-locations.ts'
import { labS3Credentials } from '../../../test/lab/bucket.ts'

describeEachLocation('blobs', (open) => {
  test('round-trip 20 MB as a stream', async () => {
    await using lab = await open()
    const blobs = await openBlobs(lab.location)
    const contents = Array.from({ length: 20 }, () => randomBytes(1_000_000))

    await blobs.write('things/large', Readable.from(contents, { objectMode: false }))

    expect((await buffer(await blobs.read('things/large'))).equals(Buffer.concat(contents))).toBe(true)
  })

  test('are listed by folder and can be deleted', async () => {
    await using lab = await open()
    const blobs = await openBlobs(lab.location)
    for (const key of ['things/one', 'things/two', 'others/three']) await blobs.write(key, Readable.from(['x']))

    await blobs.delete('things/two')
    await blobs.delete('things/never-there')

    expect(await Array.fromAsync(blobs.list('things'))).toEqual(['things/one'])
    expect(await Array.fromAsync(blobs.list('nothing'))).toEqual([])
    await expect(blobs.read('things/two').then(buffer)).rejects.toThrow()
  })

  test('do not exist when their source fails', async () => {
    await using lab = await open()
    const blobs = await openBlobs(lab.location)
    const failing = Readable.from(
      (async function* () {
        yield Buffer.from('x')
        throw new Error('the source failed')
      })(),
      { objectMode: false },
    )

    await expect(blobs.write('things/one', failing)).rejects.toThrow('the source failed')
    expect(await blobs.has('things/one')).toBe(false)
    expect(await Array.fromAsync(blobs.list('things'))).toEqual([])
  })

  // In a bucket, 20 MB is a multipart upload, whose first part is sent while the source is still
  // being read.
  test.each([1, 20_000_000])('do not exist after an aborted write of %d bytes', async (bytes) => {
    await using lab = await open()
    const blobs = await openBlobs(lab.location)
    const stop = new AbortController()
    const endless = new PassThrough()
    const writing = blobs.write('things/one', endless, stop.signal)
    await new Promise((resolve) => void endless.write(Buffer.alloc(bytes), resolve))
    stop.abort(new Error('enough'))

    await expect(writing).rejects.toThrow('enough')
    expect(await blobs.has('things/one')).toBe(false)
    expect(endless.destroyed).toBe(true)
  })

  test.each([0, 1, 8 * 1024 * 1024 - 1, 8 * 1024 * 1024, 8 * 1024 * 1024 + 1])('may have %d bytes', async (bytes) => {
    await using lab = await open()
    const blobs = await openBlobs(lab.location)
    const contents = randomBytes(bytes)

    await blobs.write('things/one', Readable.from(bytes === 0 ? [] : [contents]))

    expect((await buffer(await blobs.read('things/one'))).equals(contents)).toBe(true)
  })
})

test('a folder shows blobs only when they are complete and rejects keys that lead out of it', async () => {
  await using lab = await openFolderLocation()
  const blobs = await openBlobs(lab.location)
  const source = new PassThrough()
  const writing = blobs.write('things/one', source)
  await new Promise((resolve) => void source.write('half', resolve))

  expect(await blobs.has('things/one')).toBe(false)
  source.end(' and half')
  await writing

  expect((await buffer(await blobs.read('things/one'))).toString()).toBe('half and half')
  for (const key of ['../outside', 'things/../../outside', '/etc/passwd', 'things//one', 'things/.', '']) {
    await expect(blobs.read(key), key).rejects.toThrow('Invalid blob key')
  }
})

test.skipIf(!canMount)('a write to a full disk (mounting it needs root) can be repeated later', async () => {
  await using disk = await mountSmallDisk(1)
  const blobs = await openBlobs({ kind: 'folder', path: join(disk.path, 'blobs') })
  const write = async (): Promise<void> => blobs.write('things/one', Readable.from([Buffer.alloc(100_000)]))
  disk.fill()

  await expect(write()).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: 'The disk of the server is full',
    retryAfterSeconds: 2,
  })
  disk.free()
  await write()

  expect(await blobs.has('things/one')).toBe(true)
})

test('a folder of a single thing is deleted with its last blob, while others are written to it', async () => {
  await using lab = await openFolderLocation()
  const blobs = await openBlobs(lab.location)
  const write = async (name: string): Promise<void> => blobs.write(`things/one/${name}`, Readable.from(['text']))
  await write('a')

  for (let round = 0; round < 20; round++) {
    await blobs.delete('things/one/b')
    await Promise.all([blobs.delete('things/one/a'), write('b')])
  }
  const kept = await Array.fromAsync(blobs.list('things'))
  await blobs.delete('things/one/b')

  expect(kept).toEqual(['things/one/b'])
  expect(await readdir(join(lab.address, 'things'))).toEqual([])
})

test('incomplete files are deleted after a day', async () => {
  await using lab = await openFolderLocation()
  await openBlobs(lab.location)
  const [old, fresh] = ['old', 'fresh'].map((name) => join(lab.address, '.incomplete', name))
  for (const path of [old!, fresh!]) await writeFile(path, 'half')
  const dayAgo = new Date(Date.now() - 25 * 60 * 60 * 1000)
  await utimes(old!, dayAgo, dayAgo)

  await openBlobs(lab.location)

  expect(await readdir(join(lab.address, '.incomplete'))).toEqual(['fresh'])
})

test('a write during a short outage of a bucket is repeated', async () => {
  await using bucket = await openCuttableBucket()
  const blobs = await openBlobs(bucket.location)
  bucket.setCut(true)
  const writing = blobs.write('things/one', Readable.from(['x']))
  setTimeout(() => bucket.setCut(false), 1500)

  await writing

  expect(await blobs.has('things/one')).toBe(true)
})

test('in a long outage of a bucket, only the first requests are repeated', async () => {
  await using bucket = await openCuttableBucket()
  const blobs = await openBlobs(bucket.location)
  bucket.setCut(true)
  await expect(blobs.has('things/one')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  const startMs = performance.now()

  await expect(blobs.has('things/two')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })

  expect(performance.now() - startMs).toBeLessThan(2500)
})

test('a request to an unresponsive bucket times out', async () => {
  const server = createServer((socket) => void socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const location = parseBlobLocation(`s3://lab?endpoint=http://127.0.0.1:${port}`, labS3Credentials)

  const request = (await openBlobs(location, { idleTimeoutMs: 100 })).has('things/one')

  const cause = { message: expect.stringContaining('timed out') }
  await expect(request).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', cause })
  server.close()
})

test('requests to a bucket that accepts connections and hangs fail in time, the later ones at once', async () => {
  const server = createServer((socket) => void socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const location = parseBlobLocation(`s3://lab?endpoint=http://127.0.0.1:${port}`, labS3Credentials)
  const blobs = await openBlobs(location, { responseTimeoutMs: 1600 })
  const startMs = performance.now()

  const write = blobs.write('things/one', Readable.from(['x']))
  await expect(write).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  const firstMs = performance.now()
  await expect(blobs.has('things/one')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })

  expect(firstMs - startMs).toBeLessThan(10_000)
  expect(performance.now() - firstMs).toBeLessThan(1000)
  server.close()
}, 20_000)

test('a location without a bucket is rejected', () => {
  expect(() => parseBlobLocation('s3:///prefix', undefined)).toThrow(/has no bucket/)
})
