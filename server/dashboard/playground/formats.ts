import type { Format, FormatInput } from 'bowline/contract/formats'
import { parseJsonObject } from 'bowline/kit/parse-json'

/** A format that the forms offer. `query` is an older form of `question`. */
export type FormatName = Exclude<Format['type'], 'query'>

/** Titles of the formats. */
export const formatTitles: Readonly<Record<FormatName, string>> = {
  markdown: 'Markdown',
  html: 'HTML',
  rawHtml: 'Raw HTML',
  links: 'Links',
  images: 'Images',
  screenshot: 'Screenshot',
  product: 'Product',
  branding: 'Branding',
  changeTracking: 'Changes',
  attributes: 'Attributes',
  rawBase64: 'Image as Base64',
  summary: 'Summary',
  json: 'JSON',
  question: 'Question',
  highlights: 'Highlights',
}

/** Formats as entered. The texts count only if their format is chosen. */
export interface EnteredFormats {
  readonly names: readonly FormatName[]
  /** Whether the screenshot shows the full page. */
  readonly isFullPage: boolean
  /** Lines with a selector and the name of an attribute. */
  readonly attributes: string
  readonly prompt: string
  /** JSON Schema as text. */
  readonly schema: string
  readonly question: string
  readonly highlights: string
}

/** Formats without any text. */
export function enterFormats(names: readonly FormatName[]): EnteredFormats {
  return { names, isFullPage: false, attributes: '', prompt: '', schema: '', question: '', highlights: '' }
}

/** Reads the formats as the API accepts them. */
export function readFormats(entered: EnteredFormats): FormatInput[] {
  return entered.names.map((name) => readFormat(name, entered))
}

function readFormat(type: FormatName, entered: EnteredFormats): FormatInput {
  const { isFullPage, attributes, prompt, question, highlights } = entered
  switch (type) {
    case 'screenshot':
      return isFullPage ? 'screenshot@fullPage' : type
    case 'attributes':
      return { type, selectors: readAttributes(attributes) }
    case 'changeTracking':
      return { type, modes: ['git-diff'] }
    case 'question':
      return { type, question: question.trim() }
    case 'highlights':
      return { type, query: highlights.trim() }
    case 'json': {
      const schema = parseJsonObject(entered.schema)
      const options = {
        ...(prompt.trim() !== '' && { prompt: prompt.trim() }),
        ...(schema !== undefined && { schema }),
      }
      return Object.keys(options).length === 0 ? type : { type, ...options }
    }
    default:
      return type
  }
}

/** Reads lines such as `a.next href`. A line with one word has an empty attribute. */
export function readAttributes(text: string): { selector: string; attribute: string }[] {
  return linesOf(text).map((line) => {
    const [, selector = line, attribute = ''] = /^(.*\S)\s+(\S+)$/.exec(line) ?? []
    return { selector, attribute }
  })
}

/** The lines of a text without spaces around them. Omits empty lines. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** The expression of a snippet that has the result of the formats. */
export function resultOf(names: readonly FormatName[]): string {
  const [first] = names
  if (names.includes('markdown')) return 'document.markdown'
  if (first === undefined || names.length > 1) return 'document'
  return `document.${first === 'question' ? 'answer' : first}`
}
