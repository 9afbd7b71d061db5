import { expect, test } from 'vitest'
import { createZip } from '../../../../test/lab/zip.ts'
import { convertDocument } from '../../../src/scrape/documents/convert-document.ts'
import { DocumentProcesses } from '../../../src/scrape/documents/document-processes.ts'
import type { DocumentKind } from '../../../src/scrape/documents/file-kinds.ts'
import { docx, paragraph, xlsx } from './office-files.ts'

const document = '<w:document><w:body><w:p><w:r><w:t>x</w:t></w:r></w:p></w:body></w:document>'
const laughs =
  '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><w:document><w:body>&b;</w:body></w:document>'
const ole = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const cells = (count: number): string => `<row>${'<c><v>1</v></c>'.repeat(count)}</row>`
const main = (contents: string | Buffer, more: object = {}) =>
  createZip([{ path: 'word/document.xml', contents, ...more }])

test.each<[string, DocumentKind, () => Buffer, string, RegExp]>([
  ['is empty', 'docx', () => Buffer.alloc(0), 'DOCUMENT_INVALID', /is empty: 0 bytes/],
  ['is a PDF', 'docx', () => Buffer.from('%PDF-1.4'), 'DOCUMENT_INVALID', /Not a DOCX file.* starting with `%PDF-1.4`/],
  [
    'is another zip',
    'docx',
    () => xlsx({ S: '' }),
    'DOCUMENT_INVALID',
    /Not a DOCX file: it has no word\/document.xml/,
  ],
  ['is cut', 'docx', () => docx(paragraph('x')).subarray(0, -30), 'DOCUMENT_INVALID', /Not a DOCX file, or truncated/],
  [
    'is cut within',
    'docx',
    () => docx(paragraph('x')).subarray(9),
    'DOCUMENT_INVALID',
    /truncated or malformed|corrupt/,
  ],
  ['is an old document', 'docx', () => ole, 'DOCUMENT_INVALID', /an Office version before 2007/],
  [
    'is encrypted by Office',
    'xlsx',
    () => Buffer.concat([ole, Buffer.from('EncryptedPackage', 'utf16le')]),
    'DOCUMENT_ENCRYPTED',
    /The XLSX file is encrypted/,
  ],
  [
    'is an encrypted zip',
    'docx',
    () => main(document, { flags: 1 }),
    'DOCUMENT_ENCRYPTED',
    /The DOCX file is encrypted/,
  ],
  [
    'is a zip in a zip',
    'docx',
    () => createZip([{ path: 'a.docx', contents: main(document) }]),
    'DOCUMENT_INVALID',
    /it has no word/,
  ],
  [
    'unpacks to more than 100 MB',
    'docx',
    () => main(Buffer.alloc(1000), { size: 100_000_001 }),
    'DOCUMENT_TOO_LARGE',
    /unpack to more than 100 MB/,
  ],
  [
    'contains too much in total',
    'docx',
    () => createZip(['a', 'b'].map((path) => ({ path, contents: 'x', size: 300_000_000 }))),
    'DOCUMENT_TOO_LARGE',
    /at most 500 MB/,
  ],
  [
    'unpacks to more than its size',
    'docx',
    () => main(Buffer.alloc(9_000_000), { size: 100 }),
    'DOCUMENT_INVALID',
    /corrupt/,
  ],
  [
    'leaves its folder',
    'docx',
    () => createZip([{ path: '../../etc/x', contents: '' }]),
    'DOCUMENT_INVALID',
    /not a relative path/,
  ],
  ['declares entities', 'docx', () => main(laughs), 'DOCUMENT_INVALID', /declares entities/],
  ['is nested deeply', 'docx', () => main('<a>'.repeat(50_000)), 'DOCUMENT_INVALID', /nested deeper than 200 levels/],
  ['is not XML', 'docx', () => main('text'), 'DOCUMENT_INVALID', /is not XML/],
  ['has too many cells', 'xlsx', () => xlsx({ S: cells(100_001) }), 'DOCUMENT_TOO_LARGE', /more than 100,000 cells/],
  [
    'has a wide table of few cells',
    'xlsx',
    () => xlsx({ S: '<row><c r="XFD1"><v>1</v></c></row>'.repeat(10) }),
    'DOCUMENT_TOO_LARGE',
    /more than 100,000 cells/,
  ],
  [
    'has too many cells',
    'csv',
    () => Buffer.from('a,'.repeat(100_001)),
    'DOCUMENT_TOO_LARGE',
    /more than 100,000 cells/,
  ],
])('refuses a document that %s (%s)', async (_name, kind, bytes, code, message) => {
  const error = await convertDocument(bytes(), kind).catch((thrown: unknown) => thrown)

  expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
})

test('a document that exhausts the memory in one operation ends its process only', async () => {
  const processes = new DocumentProcesses({ heapMb: 64 })
  const bytes = docx(paragraph('"'.repeat(15_000_000)))

  await expect(processes.convert({ kind: 'docx', bytes }, 'team')).rejects.toMatchObject({
    code: 'DOCUMENT_TOO_LARGE',
    message: expect.stringContaining('needs more than 64 MB of memory'),
  })
})

test('ends the process of a document that takes too long', async () => {
  const processes = new DocumentProcesses({ timeoutMs: 1 })

  await expect(processes.convert({ kind: 'docx', bytes: docx(paragraph('x')) }, 'team')).rejects.toMatchObject({
    code: 'DOCUMENT_TOO_LARGE',
    message: expect.stringContaining('was not read within 0.001 s'),
  })
})
