import type { Document } from 'bowline/contract/document'
import type { Format } from 'bowline/contract/formats'

/** Whether a format cannot be made without a language model. */
export function needsLanguageModel(format: Format): boolean {
  return format.type === 'summary' || (readsMarkdown(format) && format.type !== 'highlights')
}

/** Whether a page with this format has the price of an extraction. Summaries are free of charge. */
export function isPricedAsExtraction(format: Format): boolean {
  return readsMarkdown(format) && format.type !== 'summary'
}

/**
 * Whether a document has a format that is made from Markdown. A page without text has only
 * `changeTracking`, which compares it with an earlier state.
 */
export function hasFormat(document: Document, { type }: Format): boolean {
  return (type === 'question' || type === 'query' ? document.answer : document[type]) !== undefined
}

/** Whether a format is made from the Markdown of the page, which is needed for it. */
export function readsMarkdown(format: Format): boolean {
  switch (format.type) {
    case 'json':
    case 'summary':
    case 'question':
    case 'query':
    case 'highlights':
      return true
    case 'changeTracking':
      return format.modes.includes('json')
    default:
      return false
  }
}
