import type { PdfContent } from '../parse/pdf/parse-pdf.ts'

/** What a page consists of, by kind. */
export type PageBody =
  | { readonly kind: 'html'; readonly html: string }
  /** Text that is shown as it is; `language` names its notation for a code block. '' = prose. */
  | { readonly kind: 'text'; readonly text: string; readonly language: string }
  | { readonly kind: 'image' }
  | { readonly kind: 'pdf'; readonly bytes: Uint8Array }
  /** A PDF that was read before: from the store. */
  | { readonly kind: 'pdf-text'; readonly pdf: PdfContent }

/** A page that was fetched or rendered. */
export interface LoadedPage {
  /** Final address. */
  readonly url: string
  readonly statusCode: number
  readonly contentType: string | undefined
  /** Its `Retry-After` header. */
  readonly retryAfter?: string | undefined
  readonly body: PageBody
  /** What the caller should know, such as that the page was cut. */
  readonly warning?: string | undefined
}

/** Adds warnings to those that a page has. */
export function withWarnings<Page extends LoadedPage>(page: Page, warnings: readonly (string | undefined)[]): Page {
  const all = [page.warning, ...warnings].filter((each) => each !== undefined)
  return all.length === 0 ? page : { ...page, warning: all.join(' ') }
}
