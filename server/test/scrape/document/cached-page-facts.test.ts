import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canServeText, pdfVariant } from '../../../src/scrape/document/pdf-variant.ts'
import { pdfParser } from '../../../../src/contract/parsers.ts'
import { startScrapeFixture, type ScrapeFixture } from '../fixture.ts'
import { makePdf } from '../parse/make-pdf.ts'

/** Four pages with the same first line, which is dropped from all but one without `blocks`. */
const paper = makePdf(
  ['Boats', 'Ropes', 'Sails', 'Masts'].map((text) => [
    { size: 12, text: 'Harbour gazette, a weekly paper' },
    { size: 24, text },
    { size: 12, text: `A longer sentence that is about ${text.toLowerCase()} and nothing else.` },
  ]),
)

let fixture: ScrapeFixture
beforeAll(async () => {
  fixture = await startScrapeFixture(
    {},
    {
      '/paper.pdf': ({ response }) => {
        response.setHeader('content-type', 'application/pdf')
        response.end(paper)
      },
    },
  )
})
afterAll(async () => fixture[Symbol.asyncDispose]())

const viewport = (width: number, height: number) => ({ formats: [{ type: 'screenshot', viewport: { width, height } }] })
const pdf = (options: object) => ({ parsers: [{ type: 'pdf', ...options }] })
const look = { formats: ['branding', 'markdown'] }

describe('a stored page', () => {
  test.each([
    ['/branded', look, { formats: ['branding'] }],
    ['/branded', look, { ...look, location: { country: 'US' } }],
    ['/branded', look, { ...look, actions: [], headers: {}, redactPII: false }],
    ['/branded', look, { ...look, onlyMainContent: false }],
    ['/branded', look, { formats: ['markdown'] }],
    ['/notes.txt', look, { formats: ['branding', 'html'] }],
    ['/paper.pdf', { formats: ['markdown', 'screenshot'] }, { formats: ['html', 'branding'] }],
    ['/paper.pdf', pdf({ blocks: true }), {}],
    ['/paper.pdf', pdf({ blocks: true }), pdf({ maxPages: 3, pages: true })],
    ['/paper.pdf', {}, pdf({ mode: 'fast' })],
    ['/paper.pdf', pdf({ mode: 'fast' }), {}],
    ['/paper.pdf', pdf({ mode: 'fast', blocks: true }), pdf({ pageMarkers: true })],
  ])('%s of %j serves %j like a page loaded for it', async (path, first, second) => {
    const page = `${path}?${encodeURIComponent(JSON.stringify([first, second]))}`
    await fixture.read(page, first)
    const hit = await fixture.read(page, { ...second, maxAge: 60_000 })
    const fresh = await fixture.read(page, second)

    const { metadata, ...content } = hit
    const { metadata: freshMetadata, ...freshContent } = fresh
    expect(metadata).toMatchObject({ cacheState: 'hit', creditsUsed: freshMetadata['creditsUsed'] })
    expect(content).toEqual(freshContent)
  })

  test.each([
    [{ formats: ['screenshot'] }, viewport(1280, 720)],
    [viewport(1280, 720), { formats: ['screenshot', 'markdown'] }],
  ])('of %j serves the same screenshot for %j', async (first, second) => {
    const page = `/article?${encodeURIComponent(JSON.stringify([first, second]))}`
    const { screenshot } = await fixture.read(page, first)
    const hit = await fixture.read(page, { ...second, maxAge: 60_000 })

    expect(hit).toMatchObject({ screenshot, metadata: { cacheState: 'hit' } })
  })

  test.each([
    ['/branded', { waitFor: 1 }, { formats: ['branding'] }],
    ['/article', { formats: ['screenshot'] }, viewport(1280, 800)],
    ['/article', { mobile: true, formats: ['screenshot'] }, { mobile: true, ...viewport(1280, 720) }],
    ['/paper.pdf', {}, pdf({ blocks: true })],
    ['/paper.pdf', {}, { parsers: [] }],
  ])('%s of %j does not serve %j', async (path, first, second) => {
    const page = `${path}?${encodeURIComponent(JSON.stringify([first, second]))}`
    await fixture.read(page, first)

    expect((await fixture.scrape(page, { ...second, lockdown: true })).status).toBe(404)
  })
})

test.each([
  ['text that OCR has read', { usesOcr: true }, {}, { mode: 'fast' }, false],
  ['text of the mode `fast`', { usesOcr: false }, { mode: 'fast' }, { mode: 'ocr' }, false],
  ['text of the mode `ocr`', { usesOcr: true }, { mode: 'ocr' }, {}, false],
  ['text of an earlier version', {}, {}, { mode: 'fast' }, false],
  ['text of a file without scanned pages', { usesOcr: false }, {}, { mode: 'fast' }, true],
  ['text in another language', { usesOcr: true }, { mode: 'ocr', language: 'deu' }, { mode: 'ocr' }, false],
  ['text of a file without scanned pages for another language', { usesOcr: false }, { language: 'deu' }, {}, true],
  ['text for a language that is not installed', { usesOcr: false }, {}, { language: 'xyz' }, false],
])('%s serves only parsers that would read the same', (_, facts, stored, asked, serves) => {
  const parse = (options: object) => pdfParser.parse({ type: 'pdf', ...options })
  const known = { readPages: 1, totalPages: 1, variant: pdfVariant(parse(stored)), ...facts }

  expect(canServeText(known, parse(asked))).toBe(serves)
})
