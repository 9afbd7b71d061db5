import { z } from 'zod'
import { checkScrapeOptions, clientFields, scrapeFields } from './scrape.ts'

/** Maximum size of a file to parse in bytes. */
export const maxParseBytes = 50 * 1024 * 1024

/** Options of `POST /v2/parse`: those of a scrape. Unknown keys are rejected. */
export const parseOptions = z.strictObject({ ...scrapeFields, ...clientFields }).superRefine(checkScrapeOptions)

/** A format of files that `POST /v2/parse` knows. */
export const fileFormat = z.looseObject({
  /** Name of the format, such as `docx`. */
  format: z.string(),
  kind: z.enum(['document', 'image']),
  /** Extensions of file names, with the dot. */
  extensions: z.array(z.string()),
  mimeTypes: z.array(z.string()),
  /** Whether this server can read the format. */
  available: z.boolean(),
})

/** Response of `GET /v2/parse/formats`. */
export const parseFormatsResponse = z.looseObject({
  success: z.literal(true),
  data: z.looseObject({ formats: z.array(fileFormat) }),
})

/** A format of files that `POST /v2/parse` knows. */
export type FileFormat = z.output<typeof fileFormat>

/**
 * Options of `bowline.parse()`: those of a scrape, except those about loading a page.
 *
 * @example
 * ```ts
 * import { Bowline, type ParseInput } from 'bowline'
 *
 * const options: ParseInput = { formats: ['markdown', 'links'], timeout: 30_000 }
 * const file = new File(['<h1>A report</h1>'], 'report.html')
 * const { markdown } = await new Bowline().parse(file, options)
 * console.log(markdown)
 * ```
 */
export type ParseInput = Omit<
  z.input<typeof parseOptions>,
  | 'actions'
  | 'waitFor'
  | 'mobile'
  | 'location'
  | 'profile'
  | 'headers'
  | 'skipTlsVerification'
  | 'proxy'
  | 'allowedDomains'
  | 'fastMode'
  | 'maxAge'
  | 'minAge'
  | 'storeInCache'
  | 'lockdown'
>

/** Body of `POST /v2/parse/upload-url`. Unknown keys are rejected. */
export const parseUploadRequest = z.strictObject({
  /** Its extension tells the format. */
  filename: z.string().min(1).max(512),
  /** Content type of the file. Default: from its extension. */
  contentType: z.string().min(1).max(255).optional(),
  /** Accepted for compatibility, without effect. */
  declaredSizeBytes: z.int().min(0).max(maxParseBytes).optional(),
})

/** Response of `POST /v2/parse/upload-url`. */
export const parseUploadResponse = z.looseObject({
  success: z.literal(true),
  data: z.looseObject({
    /** Receives the file without an API key, once. */
    uploadUrl: z.string(),
    /** For `uploadRef` of `POST /v2/parse`, once. */
    uploadRef: z.string(),
    method: z.enum(['PUT', 'POST']),
    headers: z.record(z.string(), z.string()),
    /** Ten minutes after the call. */
    expiresAt: z.string(),
    maxSizeBytes: z.number(),
  }),
})
