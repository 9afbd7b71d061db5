import type { PageBlocks } from 'bowline/contract/document'

/** A page of a PDF or an image. */
export interface PdfPage {
  readonly pageNumber: number
  readonly markdown: string
  /** Present if they were requested. */
  readonly blocks?: PageBlocks | undefined
}

/** A file that was read. */
export interface ReadPdf {
  readonly kind: 'read'
  readonly pages: readonly PdfPage[]
  readonly totalPages: number
  readonly title: string | undefined
  /** Whether no page has text, such as in scans that were read without OCR. */
  readonly isScanned: boolean
  /** Pages that look scanned and were not read by OCR. */
  readonly scannedPages: number
  /** Pages that were read by OCR. Undefined for files that earlier versions have stored. */
  readonly ocrPages?: number | undefined
}

/** Output of the process that parses a PDF, as JSON on stdout. */
export type PdfResult =
  | ReadPdf
  | { readonly kind: 'encrypted' }
  /** Reads no OCR: a package is missing. */
  | { readonly kind: 'noOcr'; readonly message: string }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }

/** Argument of the process that parses a PDF, as JSON. */
export interface PdfJob {
  readonly reader: 'liteparse' | 'unpdf'
  readonly kind: 'pdf' | 'image'
  readonly mode: 'fast' | 'auto' | 'ocr'
  /** Pages to read. The others are only counted. */
  readonly maxPages: number
  readonly wantsBlocks: boolean
  readonly language: string
  /** Folder with the data of Tesseract. Undefined: no OCR. */
  readonly tessdata?: string | undefined
}
