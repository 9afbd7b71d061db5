import type { Document } from 'bowline/contract/document'
import { onThisServer } from '../live/on-this-server.ts'
import { formatTitles, type FormatName } from './formats.ts'

/** One format of a scraped page. */
export interface DocumentView {
  /** Text to show and copy. For an image, its URL. */
  readonly text: string
  /** Alternative text if the view is an image. */
  readonly pictureOf?: string | undefined
  /** Sentence to show if the text is empty. */
  readonly emptyNote: string
}

/** The formats that a scraped page has and its metadata, by title. */
export function viewsOf(document: Document): Readonly<Record<string, DocumentView>> {
  const { product } = document
  const views: readonly (readonly [name: FormatName, text: string | undefined, emptyNote?: string])[] = [
    ['markdown', document.markdown],
    ['html', document.html],
    ['rawHtml', document.rawHtml],
    ['links', document.links?.join('\n'), 'The page has no links.'],
    ['images', document.images?.join('\n'), 'The page has no images.'],
    ['screenshot', document.screenshot === undefined ? undefined : sourceOf(document.screenshot)],
    ['product', product === null ? '' : asJson(product), 'The page names no product in its structured data.'],
    ['branding', asJson(document.branding)],
    ['changeTracking', asJson(document.changeTracking)],
    ['attributes', asJson(document.attributes)],
    ['rawBase64', document.rawBase64],
    ['summary', document.summary, 'The language model returned no summary.'],
    ['json', asJson(document.json)],
    ['question', document.answer, 'The language model returned no answer.'],
    ['highlights', document.highlights, 'No passage of the page matches.'],
  ]
  const shown = views.flatMap(([name, text, emptyNote = noText]) =>
    text === undefined ? [] : [[formatTitles[name], { text, pictureOf: pictures[name], emptyNote }] as const],
  )
  return {
    ...Object.fromEntries(shown),
    Metadata: { text: JSON.stringify(document.metadata, null, 2), emptyNote: '' },
  }
}

const pictures: Readonly<Partial<Record<FormatName, string>>> = {
  screenshot: 'Screenshot of the page',
  rawBase64: 'Image at the URL',
}

const noText = 'The page has no text. If its scripts add text later, set a wait after loading.'

function asJson(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value, null, 2)
}

function sourceOf(screenshot: string): string {
  return screenshot.startsWith('data:') ? screenshot : onThisServer(screenshot)
}
