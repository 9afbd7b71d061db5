import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { openBlobs, parseBlobPlace } from '../../../src/server/store/blobs.ts'
import { describeEachPlace, labS3Credentials } from '../../lab/blob-places.ts'

describeEachPlace('blobs', (open) => {
  test('come out as they went in, 20 MB as a stream', async () => {
    await using lab = await open()
    const blobs = await openBlobs(lab.place)
    const contents = Array.from({ length: 20 }, () => randomBytes(1_000_000))

    await blobs.write('things/large', Readable.from(contents, { objectMode: false }))

    expect((await buffer(await blobs.read('things/large'))).equals(Buffer.concat(contents))).toBe(true)
  })

  test('are listed by folder and gone when deleted', async () => {
    await using lab = await open()
    const blobs = await openBlobs(lab.place)
    for (const key of ['things/one', 'things/two', 'others/three']) await blobs.write(key, Readable.from(['x']))

    await blobs.delete('things/two')
    await blobs.delete('things/never-there')

    expect(await Array.fromAsync(blobs.list('things'))).toEqual(['things/one'])
    expect(await Array.fromAsync(blobs.list('nothing'))).toEqual([])
    await expect(blobs.read('things/two').then(buffer)).rejects.toThrow()
  })

  test('whose source fails are not there', async () => {
    await using lab = await open()
    const blobs = await openBlobs(lab.place)
    const failing = Readable.from(
      (async function* () {
        yield Buffer.from('x')
        throw new Error('the source failed')
      })(),
      { objectMode: false },
    )

    await expect(blobs.write('things/one', failing)).rejects.toThrow()
  })
})

test('a bucket that falls silent is given up', async () => {
  const server = createServer((socket) => void socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const place = parseBlobPlace(`s3://lab?endpoint=http://127.0.0.1:${port}`, labS3Credentials)

  const asked = (await openBlobs(place, { silenceMs: 100 })).has('things/one')

  await expect(asked).rejects.toThrow('timed out')
  server.close()
})

test('a place without a bucket is refused', () => {
  expect(() => parseBlobPlace('s3:///prefix', undefined)).toThrow(/names no bucket/)
})
