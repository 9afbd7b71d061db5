import type { Branding } from 'bowline/contract/branding'
import type { DocumentKind } from '../documents/file-kinds.ts'
import type { PdfContent } from '../parse/pdf/parse-pdf.ts'

/** Content of a page, by kind. */
export type PageBody =
  /** `source`: of a converted document, all of which is content, or of an uploaded page. */
  | { readonly kind: 'html'; readonly html: string; readonly source?: 'document' | 'upload' | undefined }
  /** Plain text. `language` is the info string of its code block, or '' for prose. */
  | { readonly kind: 'text'; readonly text: string; readonly language: string; readonly source?: 'upload' | undefined }
  /** `bytes` are undefined for a page from the cache. */
  | { readonly kind: 'image'; readonly bytes?: Uint8Array | undefined; readonly source?: 'upload' | undefined }
  | { readonly kind: 'pdf'; readonly bytes: Uint8Array }
  /** A PDF that was parsed before, from the cache. `variant`: the options it was parsed with. */
  | { readonly kind: 'pdf-text'; readonly pdf: PdfContent; readonly variant?: string | undefined }

/** A document of an office program, which must be converted to HTML. */
export interface DocumentFile {
  readonly kind: 'document'
  readonly documentKind: DocumentKind
  readonly bytes: Uint8Array
}

/** A page that was fetched, and is not converted yet. */
export interface FetchedPage extends Omit<LoadedPage, 'body'> {
  readonly body: PageBody | DocumentFile
}

/** A page that was fetched or rendered: the input of all later steps. */
export interface LoadedPage {
  /** Final URL. Empty for an uploaded file, whose relative links stay unchanged. */
  readonly url: string
  readonly statusCode: number
  /** HTTP status with which the page was opened, if actions have run since. */
  readonly openedStatus?: number | undefined
  readonly contentType: string | undefined
  /** `Retry-After` header. */
  readonly retryAfter?: string | undefined
  readonly body: PageBody
  /** Whether content was missing when the page was read. It is not stored then. Default: false. */
  readonly isUnfinished?: boolean | undefined
  /** The look of the page. Undefined if it was not requested, or the page is not HTML. */
  readonly branding?: Branding | undefined
  /** Message for the caller, such as that the page was truncated. */
  readonly warning?: string | undefined
}

/**
 * Returns the HTTP status that decides whether to load a page again. For a page with actions, this
 * is the status before them: a retry would repeat the actions.
 */
export function statusToRetry({ openedStatus, statusCode }: Pick<LoadedPage, 'openedStatus' | 'statusCode'>): number {
  return openedStatus ?? statusCode
}

/** Appends warnings to the warning of a page. */
export function withWarnings<Page extends FetchedPage>(page: Page, warnings: readonly (string | undefined)[]): Page {
  const all = [page.warning, ...warnings].filter((each) => each !== undefined)
  return all.length === 0 ? page : { ...page, warning: all.join(' ') }
}
