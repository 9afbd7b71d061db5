import { expect, test } from 'vitest'
import { packDocument, unpackDocument } from '../../../src/scrape/document/pack-document.ts'

const metadata = { sourceURL: 'https://example.com/', statusCode: 200 }

test('a packed document is small and unpacks unchanged, with any characters', async () => {
  const document = { markdown: 'Fair wind – gute Fahrt \u0000 ⛵ '.repeat(1000), metadata }

  const bytes = await packDocument(document)

  expect(bytes.length).toBeLessThan(1000)
  expect(await unpackDocument('id', bytes)).toEqual(document)
})

test('a document stored before packing was introduced is readable', async () => {
  const document = { markdown: 'Ahoy ⛵', metadata }

  const read = await unpackDocument('id', Uint8Array.from(Buffer.from(JSON.stringify(document))))

  expect(read).toEqual(document)
})
