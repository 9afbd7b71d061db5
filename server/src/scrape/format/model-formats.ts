import type { Format } from 'bowline/contract/formats'

/** Whether a format cannot be made without a language model. */
export function needsLanguageModel(format: Format): boolean {
  return format.type === 'summary' || (readsMarkdown(format) && format.type !== 'highlights')
}

/** Whether a page with this format has the price of an extraction. Summaries are free of charge. */
export function isPricedAsExtraction(format: Format): boolean {
  return readsMarkdown(format) && format.type !== 'summary'
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
