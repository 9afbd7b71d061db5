import { expect, test } from 'vitest'
import { readZip } from '../../src/kit/read-zip.ts'
import { createZip, type ZipEntry } from '../../../test/lab/zip.ts'

const limits = { files: 3, contentBytes: 1000, invalid: (message: string): Error => new Error(message) }

function file(path: string, contents: string | Buffer = 'text', more: Partial<ZipEntry> = {}): ZipEntry {
  return { path, contents, ...more }
}

test.each([
  ['deflated', createZip([file('a/b.txt')])],
  ['stored', createZip([file('a/b.txt', 'text', { method: 0 })])],
  ['empty folders', createZip([file('a/', ''), file('a/b.txt')])],
  ['a .crx', Buffer.concat([Buffer.from('Cr24\x03\0\0\0\x04\0\0\0head', 'latin1'), createZip([file('a/b.txt')])])],
])('reads files: %s', async (_name, zip) => {
  const [found, ...others] = readZip(zip, limits)

  expect([found?.path, (await found?.read())?.toString(), others]).toEqual(['a/b.txt', 'text', []])
})

test.each<[string, Buffer, RegExp]>([
  ['that is no zip', Buffer.from('{"manifest_version": 3}'), /The body is not a zip/],
  ['that is empty', Buffer.alloc(0), /The body is not a zip/],
  ['that is cut', createZip([file('a'), file('b')]).subarray(20), /truncated or malformed/],
  ['with too many files', createZip(['a', 'b', 'c', 'd'].map((path) => file(path))), /too many files: at most 3/],
  [
    'with too many folders',
    createZip(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((path) => file(`${path}/`, ''))),
    /too many files/,
  ],
  ['that unpacks to too much', createZip([file('a', 'x'.repeat(600)), file('b', 'x'.repeat(600))]), /at most 1 MB/],
  ['with a path to the parent', createZip([file('../a')]), /"..\/a" in the zip is not a relative path/],
  ['with a path within', createZip([file('a/../../b')]), /is not a relative path/],
  ['with an absolute path', createZip([file('/etc/passwd')]), /is not a relative path/],
  ['with a backslash', createZip([file('a\\b')]), /is not a relative path/],
  ['with a deep path', createZip([file('a/'.repeat(40) + 'b')]), /is not a relative path/],
  ['with a link', createZip([file('a', '/etc/passwd', { mode: 0o120777 })]), /"a" in the zip is a link/],
  ['with a device', createZip([file('a', '', { mode: 0o020666 })]), /is a link or a device/],
  ['with a password', createZip([file('a', 'text', { flags: 1 })]), /"a" in the zip is encrypted/],
  ['with another method', createZip([file('a', 'text', { method: 14 })]), /compressed with method 14/],
  ['with a file twice', createZip([file('a'), file('a')]), /contains "a" twice/],
  ['with a file as a folder', createZip([file('a'), file('a/b')]), /"a" in the zip is both a file and a folder/],
])('refuses a zip %s', (_name, zip, problem) => {
  expect(() => readZip(zip, limits)).toThrow(problem)
})

test.each<[string, ZipEntry]>([
  // A megabyte that the headers declare as 100 bytes.
  ['unpacks to more than its size', file('a', Buffer.alloc(1_000_000), { size: 100 })],
  ['unpacks to less', file('a', 'text', { size: 5 })],
])('refuses a file that %s', async (_name, entry) => {
  const [found] = readZip(createZip([entry]), limits)

  await expect(found?.read()).rejects.toThrow('"a" in the zip is corrupt')
})

test('refuses a file whose contents were changed', async () => {
  const zip = createZip([file('a', 'some text', { method: 0 })])
  zip.write('S', 31, 'latin1')
  const [found] = readZip(zip, limits)

  await expect(found?.read()).rejects.toThrow('its size or checksum is wrong')
})
