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

/**
 * Converts a document to a page of HTML. `contentType` is that of its response. Throws DOCUMENT_*.
 */
export async function convertDocument(bytes: Uint8Array, kind: DocumentKind, contentType?: string): Promise<string> {
  if (bytes.length === 0) throw documentInvalid(`The ${kind.toUpperCase()} file is empty: 0 bytes`)
  return writePage(await converters[kind](bytes, contentType))
}

type Converter = (bytes: Uint8Array, contentType: string | undefined) => HtmlDocument | Promise<HtmlDocument>

const converters: Readonly<Record<DocumentKind, Converter>> = {
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
