import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Semaphore } from '../../../src/kit/semaphore.ts'
import { parsePdf } from '../../../src/scrape/parse/pdf/parse-pdf.ts'
import { childrenNaming } from '../../../../test/lab/browser-processes.ts'
import { makePdf, makePdfBomb } from './make-pdf.ts'

function chapter(title: string) {
  return [
    { size: 28, text: title },
    { size: 11, text: 'The quick brown fox jumps over the lazy dog near the river bank.' },
    { size: 11, text: 'A second line of the same paragraph, as plain as the first one is.' },
    { size: 11, text: 'And a third, so that the body is clearly smaller than its heading.' },
  ]
}

describe('a PDF becomes Markdown', () => {
  test('with its headings and its text, page by page', async () => {
    const content = await parsePdf(makePdf([chapter('Annual report'), chapter('Outlook')]))

    expect(content.markdown).toMatch(/^#+ Annual report/m)
    expect(content.markdown).toContain('quick brown fox')
    expect(content.pages.map((page) => page.pageNumber)).toEqual([1, 2])
    expect(content.totalPages).toBe(2)
    expect(content.isScanned).toBe(false)
  })

  test('with the headings of pages that differ only in a number', async () => {
    const content = await parsePdf(makePdf([chapter('Chapter 1'), chapter('Chapter 2'), chapter('Chapter 3')]))

    expect(content.markdown.match(/^#+ Chapter \d/gm)).toEqual(['# Chapter 1', '# Chapter 2', '# Chapter 3'])
  })

  test.each([
    ['short pages that differ only in numbers', [1001, 1002, 1003].map((number) => `Invoice number ${number}, paid`)],
    ['pages with the same text', ['Copy of the same receipt', 'Copy of the same receipt', 'Copy of the same receipt']],
  ])('with all text of %s', async (_, texts) => {
    const content = await parsePdf(makePdf(texts.map((text) => [{ size: 12, text }])))

    expect(content.pages.map(({ markdown }) => markdown.trim())).toEqual(texts)
    expect(content.isScanned).toBe(false)
  })

  test('with a header and a footer that repeat on every page only once', async () => {
    const header = [{ size: 9, text: 'ACME annual report' }]
    const footer = [{ size: 9, text: 'Confidential' }]
    const pages = ['Outlook', 'Balance', 'Risks'].map((title) => header.concat(chapter(title), footer))

    const { markdown } = await parsePdf(makePdf(pages))

    expect(markdown.match(/ACME annual report|Confidential/g)).toEqual(['ACME annual report', 'Confidential'])
    expect(markdown.match(/Outlook|Balance|Risks/g)).toEqual(['Outlook', 'Balance', 'Risks'])
  })

  test('limited to the requested pages, while all are counted', async () => {
    const content = await parsePdf(makePdf([chapter('One'), chapter('Two'), chapter('Three')]), { maxPages: 1 })

    expect(content.pages).toHaveLength(1)
    expect(content.markdown).not.toContain('Two')
    expect(content.totalPages).toBe(3)
  })

  test('with all pages of a long file', async () => {
    const content = await parsePdf(makePdf(Array.from({ length: 1500 }, () => chapter('Page'))))

    expect(content.pages).toHaveLength(1500)
    expect(content.pages.at(-1)).toMatchObject({ pageNumber: 1500, markdown: expect.stringContaining('brown fox') })
  })
})

describe('an unreadable PDF is rejected with the reason', () => {
  test('an empty file', async () => {
    await expect(parsePdf(new Uint8Array())).rejects.toMatchObject({
      code: 'PDF_INVALID',
      message: 'The PDF is empty: 0 bytes',
    })
  })

  test('a web page labelled as a PDF', async () => {
    const page = Buffer.from('<!doctype html><p>Not found</p>')

    await expect(parsePdf(page)).rejects.toMatchObject({
      code: 'PDF_INVALID',
      message: expect.stringContaining('<!doctype html>'),
    })
  })

  test('a truncated PDF', async () => {
    const whole = makePdf([chapter('Report')])

    await expect(parsePdf(whole.subarray(0, 40))).rejects.toMatchObject({ code: 'PDF_INVALID', status: 422 })
  })

  test('a PDF without pages', async () => {
    await expect(parsePdf(makePdf([]))).rejects.toMatchObject({ code: 'PDF_INVALID' })
  })

  test('a PDF that needs a password', async () => {
    await expect(parsePdf(makePdf([chapter('Secret')], { encrypted: true }))).rejects.toMatchObject({
      code: 'PDF_ENCRYPTED',
      status: 422,
    })
  })
})

describe('parsing ends', () => {
  test.runIf(process.platform === 'linux')('when a small file unpacks to more than the available memory', async () => {
    await expect(parsePdf(makePdfBomb(1000))).rejects.toMatchObject({
      code: 'PDF_FAILED',
      status: 422,
      message: expect.stringContaining('needs more than 1.5 GB of memory'),
      hint: expect.stringContaining('maxPages'),
    })

    expect(childrenNaming('pdf-process')).toEqual([])
  })

  test('after the time limit, with its process', async () => {
    const pages = Array.from({ length: 400 }, () => chapter('Page'))

    await expect(parsePdf(makePdf(pages), { timeoutMs: 1 })).rejects.toMatchObject({ code: 'TIMEOUT', status: 408 })

    expect(childrenNaming('pdf-process')).toEqual([])
  })

  test('when the caller aborts', async () => {
    const stop = new AbortController()
    const reading = parsePdf(makePdf([chapter('Report')]), { signal: stop.signal })

    stop.abort(new Error('no longer needed'))

    await expect(reading).rejects.toThrow('no longer needed')
  })

  test('when it is aborted in the queue, and the next one starts', async () => {
    const slots = new Semaphore(1)
    const report = makePdf([chapter('Report')])
    const stop = new AbortController()

    const reading = parsePdf(report, { slots })
    const leaving = parsePdf(report, { slots, signal: stop.signal })
    const next = parsePdf(report, { slots })
    expect(slots.waiting).toBe(2)
    stop.abort(new Error('no longer needed'))

    await expect(leaving).rejects.toThrow('no longer needed')
    expect((await Promise.all([reading, next])).map(({ totalPages }) => totalPages)).toEqual([1, 1])
  })
})

test('the fallback parser, for platforms without the first one, also finds the text', () => {
  const program = join(import.meta.dirname, '../../../src/scrape/parse/pdf/pdf-process.ts')
  const job = { reader: 'unpdf', kind: 'pdf', mode: 'auto', maxPages: 1, language: 'eng' }

  const { stdout } = spawnSync(process.execPath, [program, JSON.stringify(job)], {
    input: makePdf([chapter('Report'), chapter('Outlook')]),
    encoding: 'utf8',
  })

  expect(JSON.parse(stdout)).toMatchObject({
    kind: 'read',
    totalPages: 2,
    pages: [{ pageNumber: 1 }],
    isScanned: false,
  })
  expect(stdout).toContain('quick brown fox')
})
