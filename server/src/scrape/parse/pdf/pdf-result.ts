/** What the process that reads a PDF says about it, as one JSON document on its output. */
export type PdfResult =
  | {
      readonly kind: 'read'
      readonly pages: readonly { readonly pageNumber: number; readonly markdown: string }[]
      readonly totalPages: number
      readonly title: string | undefined
      readonly isScanned: boolean
    }
  | { readonly kind: 'encrypted' }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }
