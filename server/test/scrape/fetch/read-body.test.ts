import { Readable } from 'node:stream'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readBody } from '../../../src/scrape/fetch/read-body.ts'

const text = 'The harbour. '.repeat(20_000)

/** Sends bytes in pieces of a size. */
function inPieces(bytes: Buffer, size: number): Readable {
  const count = Math.ceil(bytes.length / size)
  return Readable.from(Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size)))
}

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate without its header', deflateRawSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
] as const)('a body compressed with %s is decompressed', async (name, compress) => {
  const coding = name.split(' ')[0] ?? ''
  for (const size of [1, 7, 100_000]) {
    const body = await readBody(inPieces(compress(text), size), coding, 1e6)

    expect(body.bytes.toString()).toBe(text)
    expect(body.isTruncated).toBe(false)
  }
})

test.each([deflateSync, deflateRawSync])(
  'a deflated body stops at the limit, and fails if it is cut off',
  async (compress) => {
    const bytes = compress(text)

    expect(await readBody(inPieces(bytes, 50), 'deflate', 1000)).toEqual({
      bytes: Buffer.from(text.slice(0, 1000)),
      isTruncated: true,
    })
    await expect(readBody(inPieces(bytes.subarray(0, 40), 7), 'deflate', 1e6)).rejects.toThrow('unexpected end of file')
    expect((await readBody(Readable.from([]), 'deflate', 10)).bytes.length).toBe(0)
  },
)
