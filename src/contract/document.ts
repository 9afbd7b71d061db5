import { z } from 'zod'

const text = z.string()

/** A change of one line. */
const lineChange = z.looseObject({
  type: z.enum(['add', 'del', 'normal']),
  content: text,
  ln: z.number().optional(),
  ln1: z.number().optional(),
  ln2: z.number().optional(),
})

/** How a page differs from its last scrape. */
export const changeTracking = z.looseObject({
  /** Null: this is the first. */
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
  /** Fields that changed, with both values. */
  json: z.record(text, z.looseObject({ previous: z.unknown(), current: z.unknown() })).optional(),
})

/** What the actions yielded, each list in the order of its actions. */
export const actionResults = z.looseObject({
  screenshots: z.array(text),
  scrapes: z.array(z.looseObject({ url: text, html: text })),
  javascriptReturns: z.array(z.looseObject({ type: text, value: z.unknown() })),
  pdfs: z.array(text),
})

/** A page as it was scraped: the formats asked for, and what is known about it. */
export const document = z.looseObject({
  markdown: text.optional(),
  html: text.optional(),
  rawHtml: text.optional(),
  links: z.array(text).optional(),
  images: z.array(text).optional(),
  /** Address of the picture; it works for 24 hours. */
  screenshot: text.optional(),
  json: z.unknown().optional(),
  /** What the page says, in short. */
  summary: text.optional(),
  attributes: z.array(z.looseObject({ selector: text, attribute: text, values: z.array(text) })).optional(),
  changeTracking: changeTracking.optional(),
  actions: actionResults.optional(),
  /** What the caller should know though the scrape succeeded. */
  warning: text.optional(),
  metadata: z.looseObject({
    title: z.union([text, z.array(text)]).optional(),
    description: z.union([text, z.array(text)]).optional(),
    /** Final address. */
    url: text.optional(),
    /** Address as the caller wrote it. */
    sourceURL: text.optional(),
    statusCode: z.number().optional(),
    scrapeId: text.optional(),
    contentType: text.optional(),
    proxyUsed: z.enum(['basic', 'stealth']).optional(),
    /** Whether the page was stored before. Absent when no stored page was asked for. */
    cacheState: z.enum(['hit', 'miss']).optional(),
    cachedAt: text.optional(),
    creditsUsed: z.number().optional(),
    /** Why the page itself is an error. */
    error: text.optional(),
  }),
})

export type ChangeTracking = z.output<typeof changeTracking>
export type ActionResults = z.output<typeof actionResults>
export type Document = z.output<typeof document>
