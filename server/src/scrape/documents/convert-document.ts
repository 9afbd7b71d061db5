import { documentInvalid } from './document-errors.ts'
import { convertCsv } from './csv.ts'
import { convertDocx } from './docx.ts'
import { convertEpub } from './epub.ts'
import { convertOdf } from './odf.ts'
import { convertPptx } from './pptx.ts'
import { convertRtf } from './rtf.ts'
import { convertXlsx } from './xlsx.ts'
import type { DocumentKind } from './file-kinds.ts'
import { writePage, type HtmlDocument } from './html-document.ts'

/** Converts a document to a page of HTML. Throws DOCUMENT_*. */
export async function convertDocument(bytes: Uint8Array, kind: DocumentKind): Promise<string> {
  if (bytes.length === 0) throw documentInvalid(`The ${kind.toUpperCase()} file is empty: 0 bytes`)
  return writePage(await converters[kind](bytes))
}

const converters: Readonly<Record<DocumentKind, (bytes: Uint8Array) => HtmlDocument | Promise<HtmlDocument>>> = {
  docx: convertDocx,
  xlsx: convertXlsx,
  pptx: convertPptx,
  odt: async (bytes) => convertOdf(bytes, 'odt'),
  ods: async (bytes) => convertOdf(bytes, 'ods'),
  odp: async (bytes) => convertOdf(bytes, 'odp'),
  epub: convertEpub,
  rtf: convertRtf,
  csv: convertCsv,
}
