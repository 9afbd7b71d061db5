import { z } from 'zod'
import { preprocess } from './preprocess.ts'
import { withShorthand } from './shorthand.ts'
import { boundedArray, clientName } from './bounded.ts'
import { countryCode } from './country.ts'
import { document } from './document.ts'
import { checkV1Options, v1ScrapeFields } from './v1-scrape.ts'
import { format, maxFormats } from './formats.ts'
import { checkScrapeOptions, scrapeFields } from './scrape.ts'
import { timeFilter } from './time-range.ts'

/**
 * Schema of a domain, such as `example.com`. Its pattern also matches texts that are not trimmed or
 * in lower case yet, since the OpenAPI document publishes it for requests.
 */
export const domain = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(
    /^\s*(?:[A-Za-z\d](?:[A-Za-z\d-]*[A-Za-z\d])?\.)*[A-Za-z\d](?:[A-Za-z\d-]*[A-Za-z\d])?\s*$/,
    'must be a domain, such as example.com',
  )

/** Limits of `timeout` of a search, in milliseconds. */
export const searchLimits = { minTimeout: 1, maxTimeout: 600_000, defaultTimeout: 60_000 } as const

const shared = {
  /**
   * Search terms and operators: "…", -, OR, site:, inurl:, allinurl:, intitle:, allintitle:,
   * related: and filetype:.
   */
  query: z.string().trim().min(1).max(2000),
  /**
   * Time range of results: `qdr:h`, `d`, `w`, `m`, `y`, or
   * `cdr:1,cd_min:MM/DD/YYYY,cd_max:MM/DD/YYYY`.
   */
  tbs: timeFilter.optional(),
  /** Accepted for compatibility, without effect. */
  filter: z.string().max(100).optional(),
  /** Language of the results, such as `de`. Default: `en`. */
  lang: z
    .string()
    .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z\d]{2,8})?$/, 'must be a language tag, such as `de` or `pt-BR`')
    .default('en'),
  /** ISO 3166-1 code of the country to search from. Default: the country of `location`. */
  country: countryCode.optional(),
  /** Location to search from: a country, or a city, region and country separated by commas. */
  location: z.string().max(500).optional(),
  /** Milliseconds after which the request fails with SEARCH_TIMEOUT. Default: 60000. */
  timeout: z.int().min(searchLimits.minTimeout).max(searchLimits.maxTimeout).default(searchLimits.defaultTimeout),
  /** Removes results whose URLs cannot be scraped. Default: false. */
  ignoreInvalidURLs: z.boolean().default(false),
  /** Name of the client program. Ignored. */
  origin: clientName.optional(),
  /** Name of the integration. Ignored. */
  integration: clientName.nullable().optional(),
} as const

const sourceNames = ['web', 'images', 'news'] as const
const categoryNames = ['github', 'research', 'pdf', 'developer'] as const

/** Names of the category `developer` in public clients. */
const developerNames: ReadonlySet<unknown> = new Set([
  'repo',
  'code',
  'docs',
  'devdex',
  'repo_search',
  'developer_index',
])

const sourceObject = z.strictObject({
  type: z.enum(sourceNames),
  /** Time range of this source. Default: `tbs` of the request. */
  tbs: timeFilter.optional(),
  /** Location of this source. Default: `location` of the request. */
  location: z.string().max(500).optional(),
})

/** Sources of other services that clients request in addition to the web. They are ignored. */
const foreignSources: ReadonlySet<unknown> = new Set(['alexandria', 'exchange'])

/** Returns whether at most one of `includeDomains` and `excludeDomains` is set. */
export function hasOneList({ includeDomains = [], excludeDomains = [] }: DomainLists): boolean {
  return includeDomains.length === 0 || excludeDomains.length === 0
}

function normalizeCategory(value: unknown): unknown {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : value
  if (developerNames.has(type)) return { type: 'developer' }
  return typeof value === 'string' ? { type: value } : value
}

function spelt<Schema extends z.ZodType>(schema: Schema, names: readonly string[]): Schema {
  return withShorthand(schema, (value) => (typeof value === 'string' ? { type: value } : value), names)
}

function eachOnce(items: readonly { readonly type: string }[]): boolean {
  return new Set(items.map(({ type }) => type)).size === items.length
}

function withoutForeign<Schema extends z.ZodType>(schema: Schema): Schema {
  return preprocess((value) => {
    if (!Array.isArray(value)) return value
    const own = (value as readonly unknown[]).filter(
      (source) => !foreignSources.has(source) && !foreignSources.has((source as { type?: unknown } | null)?.type),
    )
    return own.length === 0 ? value : own
  }, schema)
}

interface DomainLists {
  readonly includeDomains?: readonly string[] | undefined
  readonly excludeDomains?: readonly string[] | undefined
}

/** Scrape options of results. Without formats, results are not scraped. */
const searchScrapeOptions = z
  .strictObject({ ...scrapeFields, formats: boundedArray(format, maxFormats).default([]) })
  .superRefine(checkScrapeOptions)

/** Body of `POST /v2/search`. Unknown keys are rejected. */
export const searchRequest = z
  .strictObject({
    ...shared,
    /** Maximum number of results per source, 1 to 100. Default: 10. */
    limit: z.int().min(1).max(100).default(10),
    /** Sources to search. Default: `["web"]`. */
    sources: withoutForeign(
      boundedArray(spelt(sourceObject, sourceNames) as z.ZodType<SearchSource, SearchSourceInput>, 10, 1).refine(
        eachOnce,
        'Each source can be used only once',
      ),
    ).default([{ type: 'web' }]),
    /** Returns only results of these categories. */
    categories: boundedArray(
      withShorthand(z.strictObject({ type: z.enum(categoryNames) }), normalizeCategory, categoryNames) as z.ZodType<
        SearchCategory,
        SearchCategoryInput
      >,
      10,
    )
      .refine(eachOnce, 'Each category can be used only once')
      .optional(),
    /** Returns only results of these domains and their subdomains. */
    includeDomains: boundedArray(domain, 100).optional(),
    /** Removes results of these domains and their subdomains. */
    excludeDomains: boundedArray(domain, 100).optional(),
    /** Removes adult results, if the search provider supports it. Default: that of the provider. */
    safe: z.union([z.boolean(), z.enum(['off', 'moderate', 'strict', 'active'])]).optional(),
    /**
     * Whether descriptions are passages with the found words in `**` (`true`), or those of the
     * pages (`false`). Only for pages that this server has scraped. Default: passages without
     * marks.
     */
    highlights: z.boolean().optional(),
    /** Only `default`: anonymous searches are not supported. */
    enterprise: boundedArray(z.literal('default'), 10).optional(),
    /** Accepted for compatibility, without effect: there is no catalogue of tools. */
    domainTools: z.boolean().optional(),
    /** Accepted for compatibility, without effect: there is no catalogue of tools. */
    toolDetail: z.string().max(200).optional(),
    /**
     * Accepted for compatibility, without effect: results are scraped before the response is sent.
     */
    asyncScraping: z.boolean().optional(),
    /** Scrape options of each result. Default: results are not scraped. */
    scrapeOptions: searchScrapeOptions.optional(),
  })
  .refine(hasOneList, { error: 'includeDomains and excludeDomains cannot be combined', path: ['excludeDomains'] })

/** Body of `POST /v1/search`. Unknown keys are rejected. */
export const searchRequestV1 = z.strictObject({
  ...shared,
  /** Maximum number of results, 1 to 100. Default: 5. */
  limit: z.int().min(1).max(100).default(5),
  /** Scrape options of each result. Default: results are not scraped. */
  scrapeOptions: z
    .strictObject({ ...v1ScrapeFields, formats: v1ScrapeFields.formats.unwrap().default([]) })
    .superRefine(checkV1Options)
    .optional(),
})

const found = {
  title: z.string().optional(),
  url: z.string().optional(),
  position: z.number().optional(),
  category: z.string().optional(),
} as const

/** A web result. If it was scraped, it includes the document. */
export const webResult = z.looseObject({
  ...document.partial().shape,
  ...found,
  description: z.string().optional(),
})

/** A news result. If it was scraped, it includes the document. */
export const newsResult = z.looseObject({
  ...document.partial().shape,
  ...found,
  snippet: z.string().optional(),
  date: z.string().optional(),
  imageUrl: z.string().optional(),
})

/** An image result with the page that contains it. */
export const imageResult = z.looseObject({
  ...found,
  imageUrl: z.string().optional(),
  imageWidth: z.number().optional(),
  imageHeight: z.number().optional(),
})

/** Response of `POST /v2/search`. */
export const searchResponse = z.looseObject({
  success: z.literal(true),
  /** Results by source. */
  data: z.looseObject({
    web: z.array(webResult).optional(),
    news: z.array(newsResult).optional(),
    images: z.array(imageResult).optional(),
  }),
  creditsUsed: z.number().optional(),
  id: z.string().optional(),
  /** Limitations of a successful search. */
  warning: z.string().nullable().optional(),
})

/** Response of `POST /v1/search`. */
export const searchResponseV1 = z.looseObject({
  success: z.literal(true),
  data: z.array(webResult),
  id: z.string().optional(),
  warning: z.string().nullable().optional(),
})

export type SearchSource = z.output<typeof sourceObject>
export type SearchSourceInput = z.input<typeof sourceObject> | (typeof sourceNames)[number]
export interface SearchCategory {
  readonly type: (typeof categoryNames)[number]
}
export type SearchCategoryInput = SearchCategory | SearchCategory['type']
export type SearchRequest = z.output<typeof searchRequest>
export type SearchRequestV1 = z.output<typeof searchRequestV1>
/**
 * Options of a search.
 *
 * @example
 * ```ts
 * import { Bowline, type SearchOptions } from 'bowline'
 *
 * const options: SearchOptions = {
 *   limit: 5,
 *   tbs: 'qdr:m', // the last month
 *   includeDomains: ['example.com'],
 *   scrapeOptions: { formats: ['markdown'] },
 * }
 * const { web, warning } = await new Bowline().search('harbour', options)
 * console.log(web, warning)
 * ```
 */
export type SearchOptions = Omit<z.input<typeof searchRequest>, 'query'>
export type SearchResponse = z.output<typeof searchResponse>

/**
 * A result of a search: its URL, title and description, and the formats that were requested.
 *
 * @example
 * ```ts
 * import { Bowline, type WebResult } from 'bowline'
 *
 * const { web } = await new Bowline().search('domain')
 * const results: readonly WebResult[] = web
 * for (const { url, title, description } of results) console.log(url, title, description)
 * ```
 */
export type WebResult = z.output<typeof webResult>
export type NewsResult = z.output<typeof newsResult>
export type ImageResult = z.output<typeof imageResult>
