import type { PdfParser } from 'bowline/contract/parsers'
import { defaultLanguage, findTessdata } from '../parse/pdf/tessdata.ts'
import type { CachedPageFacts } from '../queries/page-facts.ts'

/**
 * Names the options of a parser that change its result, except the number of pages. Undefined for
 * the default options.
 */
export function pdfVariant({ mode, language, blocks }: PdfParser): string | undefined {
  if (mode === 'auto' && language === undefined && blocks !== true) return undefined
  return [mode, language ?? '', blocks === true ? 'blocks' : ''].join(' ')
}

/** Whether the stored text of a PDF is what a parser with other options would read from it. */
export function canServeText({ variant, usesOcr }: NonNullable<CachedPageFacts['pdf']>, parser: PdfParser): boolean {
  if (variant === pdfVariant(parser)) return true
  const [mode = '', language = '', blocks = ''] = (variant ?? 'auto').split(' ')
  if (parser.blocks === true && blocks === '') return false
  const isSameLanguage = (language || defaultLanguage) === (parser.language ?? defaultLanguage)
  const canFail = parser.mode !== 'fast' && parser.language !== undefined
  // Without the data of its language, the parser fails.
  if (canFail && findTessdata(parser.language) === undefined) return false
  if (mode === parser.mode && isSameLanguage) return true
  // Without scanned pages, `auto` reads what `fast` reads, in any language.
  return mode !== 'ocr' && parser.mode !== 'ocr' && usesOcr === false
}
