import { z } from 'zod'
import { boundedArray } from './bounded.ts'
import { withShorthand } from './shorthand.ts'

/** Languages for OCR, such as `eng` or `deu+fra`. */
const language = z
  .string()
  .regex(
    /^[a-z]{3}(?:_[a-z]{3,8}){0,2}(?:\+[a-z]{3}(?:_[a-z]{3,8}){0,2}){0,3}$/,
    '`language` must be one to four codes of Tesseract, joined by `+`, such as `eng+deu`',
  )

/** Reads PDFs. */
export const pdfParser = z.strictObject({
  type: z.literal('pdf'),
  /**
   * `fast` reads the text in the file. `auto` also reads scanned pages by OCR if the server has
   * Tesseract's data, else adds a `warning`. `ocr` reads all pages by OCR. Default: `auto`.
   */
  mode: z.enum(['fast', 'auto', 'ocr']).default('auto'),
  /** Maximum number of pages to read. Default: all. */
  maxPages: z.int().min(1).max(10_000).optional(),
  /** Languages for OCR, as codes of Tesseract joined by `+`. Default: `eng`. */
  language: language.optional(),
  /** Adds `pages` to the document: the Markdown of each page. Default: false. */
  pages: z.boolean().optional(),
  /** Alias of `pages`. */
  pageMarkdown: z.boolean().optional(),
  /** Adds `blocks` to the document: headings, paragraphs and tables with their position. */
  blocks: z.boolean().optional(),
  /** Separates pages in Markdown by a rule and a comment, `<!-- page 2 -->`. Default: false. */
  pageMarkers: z.boolean().optional(),
})

/** Reads the text of images by OCR. */
export const imageParser = z.strictObject({
  type: z.literal('image'),
  /** Languages for OCR, as codes of Tesseract joined by `+`. Default: `eng`. */
  language: language.optional(),
})

/** Options of the PDF parser. */
export type PdfParser = z.output<typeof pdfParser>

/** Options of the parser of images, which reads their text by OCR. */
export type ImageParser = z.output<typeof imageParser>

const parser = z.discriminatedUnion('type', [pdfParser, imageParser], {
  error: ({ code }) => (code === 'invalid_union' ? 'The parsers are `pdf` and `image`' : undefined),
})

/** Parsers of files: `pdf`, and `image` for the text of images. Each can be used once. */
export const parsers = boundedArray(
  withShorthand(parser, (value) => (typeof value === 'string' ? { type: value } : value), [
    'pdf',
    'image',
  ]) as unknown as z.ZodType<PdfParser | ImageParser, 'pdf' | 'image' | z.input<typeof parser>>,
  2,
)

type Parsers = readonly (PdfParser | ImageParser)[]

/** Returns the options for PDFs. Undefined: PDFs are not parsed. */
export function pdfParserOf(list: Parsers): PdfParser | undefined {
  return list.find((each) => each.type === 'pdf')
}

/** Returns the options for images. Undefined: their text is not read. */
export function imageParserOf(list: Parsers): ImageParser | undefined {
  return list.find((each) => each.type === 'image')
}
