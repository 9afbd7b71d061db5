import { z } from 'zod'
import { withShorthand } from './shorthand.ts'
import { boundedArray, clientName } from './bounded.ts'
import { document } from './document.ts'
import { checkV1Options, v1ScrapeFields } from './v1-scrape.ts'
import { format, maxFormats } from './formats.ts'
import { checkScrapeOptions, scrapeFields } from './scrape.ts'
import { timeFilter } from './time-range.ts'

/** Name of a site, such as `example.com`. */
export const domain = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(/^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)*[a-z\d](?:[a-z\d-]*[a-z\d])?$/, 'A domain is written like example.com')

const shared = {
  /** What to look for, with the operators "…", -, site:, inurl:, allinurl:, intitle:, allintitle: and related:. */
  query: z.string().trim().min(1).max(2000),
  /** When results are to be from: `qdr:h`, `d`, `w`, `m`, `y`, or `cdr:1,cd_min:MM/DD/YYYY,cd_max:MM/DD/YYYY`. */
  tbs: timeFilter.optional(),
  /** Accepted and without effect. */
  filter: z.string().max(100).optional(),
  /** Language of the results, such as `de`. Default `en`. */
  lang: z
    .string()
    .regex(/^[a-z]{2,3}(?:-[a-z\d]{2,8})?$/i, 'A language is written like `de` or `pt-BR`')
    .default('en'),
  /** ISO 3166 code of the country to search from. Default: that of `location`. */
  country: z
    .string()
    .regex(/^[a-z]{2}$/i, 'A country is two letters (ISO 3166-1 alpha-2)')
    .transform((code) => code.toLowerCase())
    .optional(),
  /** Where to search from: a country, or a city, a region and a country separated by commas. */
  location: z.string().max(500).optional(),
  /** Milliseconds after which the call fails with SEARCH_TIMEOUT. Default 60,000. */
  timeout: z.int().min(1).max(600_000).default(60_000),
  /** Whether results whose addresses cannot be scraped are left out. Default false. */
  ignoreInvalidURLs: z.boolean().default(false),
  /** Name of the client, as clients send it. Not used. */
  origin: clientName.optional(),
  /** Name of an integration, as clients send it. Not used. */
  integration: clientName.nullable().optional(),
} as const

const sourceNames = ['web', 'images', 'news'] as const
const categoryNames = ['github', 'research', 'pdf', 'developer'] as const

/** Names that public clients have for the category `developer`. */
const developerNames: ReadonlySet<unknown> = new Set([
  'repo',
  'code',
  'docs',
  'devdex',
  'repo_search',
  'developer_index',
])

function spellCategory(value: unknown): unknown {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : value
  if (developerNames.has(type)) return { type: 'developer' }
  return typeof value === 'string' ? { type: value } : value
}

const sourceObject = z.strictObject({
  type: z.enum(sourceNames),
  /** Default: that of the request. */
  tbs: timeFilter.optional(),
  /** Default: that of the request. */
  location: z.string().max(500).optional(),
})

function spelt<Schema extends z.ZodType>(schema: Schema, names: readonly string[]): Schema {
  return withShorthand(schema, (value) => (typeof value === 'string' ? { type: value } : value), names)
}

function eachOnce(items: readonly { readonly type: string }[]): boolean {
  return new Set(items.map(({ type }) => type)).size === items.length
}

/** Catalogues of other services that clients ask for beside the web, whether there are any or not. */
const foreignSources: ReadonlySet<unknown> = new Set(['alexandria', 'exchange'])

function withoutForeign<Schema extends z.ZodType>(schema: Schema): Schema {
  return z.preprocess((value) => {
    if (!Array.isArray(value)) return value
    const own = (value as readonly unknown[]).filter(
      (source) => !foreignSources.has(source) && !foreignSources.has((source as { type?: unknown } | null)?.type),
    )
    return own.length === 0 ? value : own
  }, schema) as unknown as Schema
}

/** Whether a search names sites to look in or sites to leave out, and not both. */
export function hasOneList({ includeDomains = [], excludeDomains = [] }: DomainLists): boolean {
  return includeDomains.length === 0 || excludeDomains.length === 0
}

interface DomainLists {
  readonly includeDomains?: readonly string[] | undefined
  readonly excludeDomains?: readonly string[] | undefined
}

/** What results are scraped with: nothing is scraped while no format is named. */
const searchScrapeOptions = z
  .strictObject({ ...scrapeFields, formats: boundedArray(format, maxFormats).default([]) })
  .superRefine(checkScrapeOptions)

/** Body of `POST /v2/search`. Unknown keys are refused. */
export const searchRequest = z
  .strictObject({
    ...shared,
    /** Most results of each source, 1 to 100. Default 10. */
    limit: z.int().min(1).max(100).default(10),
    /** Where to look. Default the web. */
    sources: withoutForeign(
      boundedArray(spelt(sourceObject, sourceNames) as z.ZodType<SearchSource, SearchSourceInput>, 10, 1).refine(
        eachOnce,
        'Each source may be named once',
      ),
    ).default([{ type: 'web' }]),
    /** Only results of these kinds. */
    categories: boundedArray(
      withShorthand(z.strictObject({ type: z.enum(categoryNames) }), spellCategory, categoryNames) as z.ZodType<
        SearchCategory,
        SearchCategoryInput
      >,
      10,
    )
      .refine(eachOnce, 'Each category may be named once')
      .optional(),
    /** Only results of these sites and what lies under them. */
    includeDomains: boundedArray(domain, 100).optional(),
    /** No results of these sites and what lies under them. */
    excludeDomains: boundedArray(domain, 100).optional(),
    /** Whether pages for adults are left out, as far as the search service knows them. Default: as it likes. */
    safe: z.union([z.boolean(), z.enum(['off', 'moderate', 'strict', 'active'])]).optional(),
    /** Accepted and without effect: descriptions show the place that has to do with the query where the service tells it. */
    highlights: z.boolean().optional(),
    /** Only `default`: searches are not made anonymous, nor forgotten. */
    enterprise: boundedArray(z.literal('default'), 10).optional(),
    /** Accepted and without effect: there is no catalogue of tools. */
    domainTools: z.boolean().optional(),
    /** Accepted and without effect: there is no catalogue of tools. */
    toolDetail: z.string().max(200).optional(),
    /** Accepted and without effect: results are scraped before the answer. */
    asyncScraping: z.boolean().optional(),
    /** What is scraped of each result. Default: nothing. */
    scrapeOptions: searchScrapeOptions.optional(),
  })
  .refine(hasOneList, { error: 'includeDomains and excludeDomains exclude each other', path: ['excludeDomains'] })

/** Body of `POST /v1/search`. Unknown keys are refused. */
export const searchRequestV1 = z.strictObject({
  ...shared,
  /** Most results, 1 to 100. Default 5. */
  limit: z.int().min(1).max(100).default(5),
  /** What is scraped of each result. Default: nothing. */
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

/** A page that was found; when it was scraped, with all that a scrape has. */
export const webResult = z.looseObject({
  ...document.partial().shape,
  ...found,
  description: z.string().optional(),
})

/** An item of the news; when it was scraped, with all that a scrape has. */
export const newsResult = z.looseObject({
  ...document.partial().shape,
  ...found,
  snippet: z.string().optional(),
  date: z.string().optional(),
  imageUrl: z.string().optional(),
})

/** A picture, and the page that shows it. */
export const imageResult = z.looseObject({
  ...found,
  imageUrl: z.string().optional(),
  imageWidth: z.number().optional(),
  imageHeight: z.number().optional(),
})

/** Answer of `POST /v2/search`. */
export const searchResponse = z.looseObject({
  success: z.literal(true),
  /** A list for each source that was asked. */
  data: z.looseObject({
    web: z.array(webResult).optional(),
    news: z.array(newsResult).optional(),
    images: z.array(imageResult).optional(),
  }),
  creditsUsed: z.number().optional(),
  id: z.string().optional(),
  /** What the caller should know though the search succeeded. */
  warning: z.string().nullable().optional(),
})

/** Answer of `POST /v1/search`. */
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
/** What a caller may say about a search besides the query. */
export type SearchOptions = Omit<z.input<typeof searchRequest>, 'query'>
export type SearchResponse = z.output<typeof searchResponse>
export type WebResult = z.output<typeof webResult>
export type NewsResult = z.output<typeof newsResult>
export type ImageResult = z.output<typeof imageResult>
