import { z } from 'zod'
import type { PageBody } from '../fetch/loaded-page.ts'

/** Facts about a cached page that decide which requests it can serve. */
export interface CachedPageFacts {
  /**
   * Hash of the options of its scrape. The stored document serves requests with the same options.
   */
  readonly answerKey: string
  readonly kind: PageBody['kind']
  /** Whether the page is stored as well as its document. */
  readonly isPageStored: boolean
  readonly isShell: boolean
  readonly isEnhanced: boolean
  /** Whether it was loaded over TLS without certificate verification. */
  readonly isUnverified: boolean
  /** Fragment of the requested URL, with its `#`. Undefined: none. */
  readonly fragment?: string | undefined
  /** How the page was rendered. Undefined if it was fetched. */
  readonly rendering?:
    | { readonly waitFor: number; readonly blockAds: boolean; readonly timezone?: string | undefined }
    | undefined
  /** Whether the look of the page is stored with it. */
  readonly hasBranding?: boolean | undefined
  readonly screenshot?: { readonly format: string; readonly url: string } | undefined
  /** Only for PDFs. */
  readonly pdf?:
    | {
        readonly readPages: number
        readonly totalPages: number
        /** Options it was parsed with, other than its pages. */
        readonly variant?: string | undefined
        /** Whether scanned pages were not read, because the server had no OCR. */
        readonly lacksOcr?: boolean | undefined
        /** Whether some pages were read by OCR. Undefined for pages of earlier versions. */
        readonly usesOcr?: boolean | undefined
      }
    | undefined
}

/** Schema of stored facts. */
export const cachedPageFacts: z.ZodType<CachedPageFacts> = z.object({
  answerKey: z.string(),
  kind: z.enum(['html', 'text', 'image', 'pdf', 'pdf-text']),
  // Only the documents of the first versions are reused.
  isPageStored: z.boolean().default(false),
  isShell: z.boolean(),
  isEnhanced: z.boolean(),
  isUnverified: z.boolean(),
  fragment: z.string().optional(),
  rendering: z.object({ waitFor: z.number(), blockAds: z.boolean(), timezone: z.string().optional() }).optional(),
  hasBranding: z.boolean().optional(),
  screenshot: z.object({ format: z.string(), url: z.string() }).optional(),
  pdf: z
    .object({
      readPages: z.number(),
      totalPages: z.number(),
      variant: z.string().optional(),
      lacksOcr: z.boolean().optional(),
      usesOcr: z.boolean().optional(),
    })
    .optional(),
})
