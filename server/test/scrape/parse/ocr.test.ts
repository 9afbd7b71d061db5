import { symlink } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { childrenNaming } from '../../../../test/lab/browser-processes.ts'
import { startLab, type Answer, type Lab } from '../../../../test/lab/lab.ts'
import { startSite } from '../../../../test/lab/site.ts'
import { temporaryFolder } from '../../../../test/lab/stores.ts'
import { parseImage, parsePdf } from '../../../src/scrape/parse/pdf/parse-pdf.ts'
import { findTessdata } from '../../../src/scrape/parse/pdf/tessdata.ts'
import { makePdf } from './make-pdf.ts'
import { makePng, makeScannedPdf } from './scanned-pdf.ts'

const letter = [
  { size: 28, text: 'Annual report' },
  { size: 14, text: 'The quick brown fox jumps over the lazy dog.' },
]
const note = [{ size: 14, text: 'Harbour fees were paid in October.' }]
const typed = [{ size: 14, text: 'This page has text that needs no recognition at all.' }]

describe.runIf(findTessdata() !== undefined)('OCR reads', () => {
  let scan: Buffer
  beforeAll(async () => {
    scan = await makeScannedPdf([letter, note])
  })

  test('scanned pages of a PDF, with headings and their position', async () => {
    const { pages, scannedPages, markdown } = await parsePdf(scan, { wantsBlocks: true })

    expect(markdown).toMatch(/^# Annual report\n\nThe quick brown fox jumps over the lazy dog/)
    expect(pages[1]?.markdown).toContain('Harbour fees were paid in October')
    expect(scannedPages).toBe(0)
    const [block] = pages[0]?.blocks?.items ?? []
    expect(block).toMatchObject({ type: 'heading', content: 'Annual report', markdownSpan: [2, 15], source: 'ocr' })
    expect(block?.confidence.ocr).toBeGreaterThan(0.8)
    // The line is 28 points high, and starts an inch from the left.
    const [left = 0, top = 0, , bottom = 0] = block?.bbox ?? []
    expect(left).toBeCloseTo(74, -1)
    expect(bottom - top).toBeGreaterThan(15)
    expect(bottom - top).toBeLessThan(40)
  })

  test('no page in the mode `fast`, and the looks of each page in the mode `ocr`', async () => {
    const [fast, ocr] = [await parsePdf(scan, { mode: 'fast' }), await parsePdf(makePdf([typed]), { mode: 'ocr' })]

    expect([fast.markdown, fast.scannedPages]).toEqual(['', 2])
    expect(ocr.markdown).toContain('needs no recognition')
    expect((await parsePdf(makePdf([typed]), { mode: 'ocr', wantsBlocks: true })).pages[0]?.blocks).toMatchObject({
      width: 612,
      height: 792,
      items: [{ source: 'ocr' }],
    })
  })

  test('images, but no other files', async () => {
    const { markdown } = await parseImage(await makePng(letter))

    expect(markdown).toContain('# Annual report')
    await expect(parseImage(Buffer.from('PK\u0003\u0004'))).rejects.toMatchObject({ code: 'DOCUMENT_INVALID' })
  })

  test('until the caller aborts', async () => {
    const stop = new AbortController()
    const reading = parsePdf(scan, { signal: stop.signal })
    await expect.poll(() => childrenNaming('pdf-process').length).toBeGreaterThan(0)

    stop.abort(new Error('enough'))

    await expect(reading).rejects.toThrow('enough')
    expect(childrenNaming('pdf-process')).toEqual([])
  })

  describe('over HTTP', () => {
    let lab: Lab
    beforeAll(async () => {
      lab = await startLab()
    })
    afterAll(async () => lab[Symbol.asyncDispose]())

    async function parse(name: string, bytes: Buffer, options: object): Promise<Answer['body']> {
      const form = new FormData()
      form.set('options', JSON.stringify(options))
      form.set('file', new Blob([new Uint8Array(bytes)]), name)
      const headers = { authorization: `Bearer ${lab.server.apiKey}` }
      const response = await fetch(new URL('/v2/parse', lab.server.url), { method: 'POST', headers, body: form })
      return (await response.json()) as Answer['body']
    }

    test('uploaded images and PDFs, whose pages can be listed and marked', async () => {
      const image = await parse('scan.PNG', await makePng(note), {})
      const pdf = await parse('scan.pdf', scan, {
        parsers: [{ type: 'pdf', pages: true, blocks: true, pageMarkers: true }],
      })
      const { body: formats } = await lab.api('GET', '/v2/parse/formats')

      expect(image['data'].markdown).toContain('Harbour fees')
      expect(image['data'].metadata).toMatchObject({ numPages: 1, creditsUsed: 1, sourceURL: 'scan.PNG' })
      const { pages, blocks, markdown, metadata, warning } = pdf['data']
      expect(markdown).toMatch(/lazy dog\.\n\n---\n\n<!-- page 2 -->\n\nHarbour/)
      expect(pages.map(({ pageNumber }: { pageNumber: number }) => pageNumber)).toEqual([1, 2])
      expect(blocks[1]).toMatchObject({ pageNumber: 2, status: 'ok', items: [{ type: 'paragraph', readingOrder: 0 }] })
      expect([metadata.numPages, metadata.creditsUsed, warning]).toEqual([2, 2, undefined])
      expect(formats['data'].formats).toContainEqual(
        expect.objectContaining({ format: 'png', kind: 'image', available: true }),
      )
    })

    test('images and PDFs by URL, where the cache keeps results of different options apart', async () => {
      const png = await makePng(note)
      const serve =
        (type: string, body: Buffer) =>
        ({ response }: { readonly response: ServerResponse }) => {
          response.setHeader('content-type', type)
          response.end(body)
        }
      await using site = await startSite({
        '/a.png': serve('image/png', png),
        '/a.pdf': serve('application/pdf', scan),
      })
      const scrape = async (path: string, parsers: readonly unknown[]): Promise<Answer['body']> =>
        (await lab.api('POST', '/v2/scrape', { url: site.url(path), parsers })).body

      const images = [await scrape('/a.png', ['pdf']), await scrape('/a.png', ['pdf', 'image'])]
      const pdfs = [await scrape('/a.pdf', [{ type: 'pdf', mode: 'fast' }]), await scrape('/a.pdf', ['pdf'])]
      const missing = await scrape('/a.pdf', [{ type: 'pdf', language: 'xyz' }])

      expect(images.map(({ data }) => data.markdown)).toEqual([
        expect.stringMatching(/^!\[\]/),
        expect.stringContaining('Harbour fees'),
      ])
      expect(pdfs.map(({ data }) => [data.markdown.includes('quick brown fox'), data.warning?.slice(0, 31)])).toEqual([
        [false, 'The PDF contains scanned images'],
        [true, undefined],
      ])
      expect([missing['code'], missing['hint']]).toEqual([
        'OCR_UNAVAILABLE',
        expect.stringContaining('tesseract-ocr-xyz'),
      ])
    })
  })
})

test('the data of all languages must be in the folder of Tesseract', async () => {
  await using folder = await temporaryFolder()
  for (const code of ['eng', 'deu']) await symlink('/dev/null', join(folder.path, `${code}.traineddata`))

  expect([
    findTessdata('eng', [folder.path]),
    findTessdata('eng+deu', [folder.path]),
    findTessdata('fra', [folder.path]),
    findTessdata('eng+fra', [folder.path]),
  ]).toEqual([folder.path, folder.path, undefined, undefined])
})
