/** Output of the process that parses a PDF, as JSON on stdout. */
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
