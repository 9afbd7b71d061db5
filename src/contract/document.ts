import { z } from 'zod'
import { branding } from './branding.ts'
import { product } from './product.ts'

const text = z.string()

/** A line of a diff. */
const lineChange = z.looseObject({
  type: z.enum(['add', 'del', 'normal']),
  content: text,
  ln: z.number().optional(),
  ln1: z.number().optional(),
  ln2: z.number().optional(),
})

/** Differences from the previous scrape of a page. */
export const changeTracking = z.looseObject({
  /** `null` if this is the first scrape. */
  previousScrapeAt: text.nullable(),
  changeStatus: z.enum(['new', 'same', 'changed', 'removed']),
  visibility: z.enum(['visible', 'hidden']),
  diff: z
    .looseObject({
      text,
      json: z.looseObject({
        files: z.array(
          z.looseObject({
            from: text.nullable(),
            to: text.nullable(),
            chunks: z.array(z.looseObject({ content: text, changes: z.array(lineChange) })),
          }),
        ),
      }),
    })
    .optional(),
  /** Changed fields with both values. */
  json: z.record(text, z.looseObject({ previous: z.unknown(), current: z.unknown() })).optional(),
})

/** Results of the actions, each list in the order of its actions. */
export const actionResults = z.looseObject({
  screenshots: z.array(text),
  scrapes: z.array(z.looseObject({ url: text, html: text })),
  javascriptReturns: z.array(z.looseObject({ type: text, value: z.unknown() })),
  pdfs: z.array(text),
})

/** The blocks of a page of a PDF. */
export const pageBlocks = z.looseObject({
  pageNumber: z.int(),
  /** Size of the page in points, 1/72 of an inch. */
  width: z.number(),
  height: z.number(),
  /** `unavailable` if the server could not locate the blocks of the page. */
  status: z.enum(['ok', 'unavailable']),
  items: z.array(
    z.looseObject({
      id: text,
      type: z.enum(['heading', 'paragraph', 'list_item', 'code', 'table', 'rule', 'figure']),
      label: text,
      /** Left, top, right and bottom in points from the top left corner of the page. */
      bbox: z.array(z.number()).length(4).nullable(),
      content: text,
      /** Start and end of the content in the Markdown of the page. */
      markdownSpan: z.array(z.int()).length(2).nullable(),
      readingOrder: z.int(),
      source: z.enum(['text', 'ocr']),
      /** From 0 to 1. */
      confidence: z.looseObject({ layout: z.number().nullable(), ocr: z.number().nullable() }),
    }),
  ),
})

/** A scraped page: the requested formats and its metadata. */
export const document = z.looseObject({
  markdown: text.optional(),
  /** HTML of the content, cleaned. For text and PDFs, a `<pre>` with the escaped text. */
  html: text.optional(),
  /** HTML of the page as it was loaded. For text and PDFs, the unescaped text. */
  rawHtml: text.optional(),
  /** URLs of the links of the page. */
  links: z.array(text).optional(),
  /** URLs of the images of the page. */
  images: z.array(text).optional(),
  /** URL of the image, valid for 24 hours. */
  screenshot: text.optional(),
  /** Pages of a PDF, with its option `pages`. */
  pages: z.array(z.looseObject({ pageNumber: z.int(), markdown: text })).optional(),
  /** Blocks of the pages of a PDF, with its option `blocks`. */
  blocks: z.array(pageBlocks).optional(),
  /** Data of the format `json`. */
  json: z.unknown().optional(),
  /** Data of the format `extract` of API v1. */
  extract: z.unknown().optional(),
  /** Summary of the page. */
  summary: text.optional(),
  /** Answer to the format `question` or `query`. */
  answer: text.optional(),
  /** Passages of the Markdown that match the query, separated by blank lines. */
  highlights: text.optional(),
  /** `null` if the page names no product in its structured data. */
  product: product.nullable().optional(),
  /** Colors, fonts and logos of the site. */
  branding: branding.optional(),
  /** The image at the URL, as a data URI. */
  rawBase64: text.optional(),
  /** Values of the format `attributes`. */
  attributes: z.array(z.looseObject({ selector: text, attribute: text, values: z.array(text) })).optional(),
  /** Changes since the previous scrape, with the format `changeTracking`. */
  changeTracking: changeTracking.optional(),
  /** Results of `actions`. */
  actions: actionResults.optional(),
  /** Limitations of a successful scrape. */
  warning: text.optional(),
  metadata: z.looseObject({
    title: z.union([text, z.array(text)]).optional(),
    description: z.union([text, z.array(text)]).optional(),
    /** Final URL, after redirects. */
    url: text.optional(),
    /** URL as the caller sent it. */
    sourceURL: text.optional(),
    /** HTTP status of the page. */
    statusCode: z.number().optional(),
    /** Id of the scrape, readable for 24 hours. */
    scrapeId: text.optional(),
    contentType: text.optional(),
    /** Kind of egress proxy. */
    proxyUsed: z.enum(['basic', 'stealth']).optional(),
    /** Whether a stored page was used. Absent if the request did not allow one. */
    cacheState: z.enum(['hit', 'miss']).optional(),
    /** When the stored page was scraped. */
    cachedAt: text.optional(),
    /** Credits billed for the page. A stored page costs as much as one that is loaded. */
    creditsUsed: z.number().optional(),
    /** Error of the page itself, such as an HTTP status. */
    error: text.optional(),
  }),
})

export type PageBlocks = z.output<typeof pageBlocks>
export type ChangeTracking = z.output<typeof changeTracking>
export type ActionResults = z.output<typeof actionResults>
/**
 * A page in the requested formats. Formats that were not requested are `undefined`.
 *
 * @example
 * ```ts
 * import { Bowline, type Document } from 'bowline'
 *
 * const document: Document = await new Bowline().scrape('https://example.com', {
 *   formats: ['markdown', 'links'],
 * })
 * const { markdown, links, metadata, warning } = document
 * console.log(metadata.title, metadata.statusCode, links?.length, warning)
 * console.log(markdown)
 * ```
 */
export type Document = z.output<typeof document>
