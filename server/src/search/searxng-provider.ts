import { z } from 'zod'
import type { TimeRange } from 'bowline/contract/time-range'
import { dayMs } from 'bowline/kit/day-ms'
import { fetchJson } from './fetch-json.ts'
import { collectPages } from './collect-pages.ts'
import { operatorsOf } from './operators.ts'
import { writeQuery, type Clause } from './parse-query.ts'
import type { Found, Result, SearchProvider, ProviderQuery, Source } from './provider.ts'
import { resultText } from './result-text.ts'

const responseSchema = z.looseObject({
  results: z.array(
    z.looseObject({
      url: z.string().nullish().catch(undefined),
      title: resultText,
      content: resultText,
      publishedDate: resultText,
      img_src: resultText,
      thumbnail: resultText,
      resolution: resultText,
    }),
  ),
  unresponsive_engines: z.array(z.array(z.unknown())).default([]),
})

type SearxngResponse = z.output<typeof responseSchema>

const categories: Readonly<Record<Source, string>> = { web: 'general', images: 'images', news: 'news' }
const ranges = { h: 'day', d: 'day', w: 'week', m: 'month', y: 'year' } as const
const safety = { off: '0', moderate: '1', strict: '2' } as const
const maxPages = 10

/** Creates a provider that uses a SearXNG instance. */
export function createSearxngProvider(baseUrl: string): SearchProvider {
  return {
    name: 'searxng',
    sources: ['web', 'images', 'news'],
    search: async (query, signal) => {
      const ask = async (clauses: readonly Clause[]): Promise<Found> => searchOnce({ baseUrl, query, clauses, signal })
      const joined = operatorsOf(query)
      const found = await ask(joined)
      const plain = operatorsOf(query, { joinsSites: false })
      // Engines that do not support OR treat the site operators as words.
      return found.results.length > 0 || plain.length === joined.length ? found : ask(plain)
    },
  }
}

/** Searches with the filters of the query, or without those that no engine supports. */
async function searchOnce({
  baseUrl,
  query,
  clauses,
  signal,
}: {
  readonly baseUrl: string
  readonly query: ProviderQuery
  readonly clauses: readonly Clause[]
  readonly signal: AbortSignal
}): Promise<Found> {
  const page = async (parameters: Parameters, number: number): Promise<SearxngResponse> => {
    const url = new URL(`${baseUrl}/search`)
    for (const [name, value] of Object.entries({ ...parameters, pageno: String(number) })) {
      if (value !== undefined) url.searchParams.set(name, value)
    }
    return fetchJson({ service: 'SearXNG', url, schema: responseSchema, signal })
  }
  const wanted = parametersOf(query, clauses)
  const first = await page(wanted, 1)
  // SearXNG skips engines that do not support a filter. If none does, there are no results.
  const isFiltered = Object.keys(wanted).some((name) => name in filterNames)
  if (first.results.length > 0 || !isFiltered) return collect(query, first, async (number) => page(wanted, number))
  const plain = Object.fromEntries(Object.entries(wanted).filter(([name]) => !(name in filterNames)))
  const again = await page(plain, 1)
  const found = await collect(query, again, async (number) => page(plain, number))
  return again.results.length === 0 ? found : { ...found, warnings: [...found.warnings, unfilteredWarning(wanted)] }
}

type Parameters = Readonly<Record<string, string | undefined>>

const filterNames: Readonly<Record<string, string>> = {
  time_range: 'time',
  language: 'language',
  safesearch: 'safety',
}

function unfilteredWarning(parameters: Parameters): string {
  const names = Object.keys(parameters).flatMap((name) => filterNames[name] ?? [])
  return `No engine of this SearXNG instance supports filtering by ${names.join(', ')}. The results are not filtered.`
}

function parametersOf(query: ProviderQuery, clauses: readonly Clause[]): Parameters {
  const { source, range, language, country, safe } = query
  const unit = unitCovering(range)
  // Without `language`, SearXNG also queries engines that cannot filter by language.
  const isPlain = language === 'en' && (country === undefined || country === 'us')
  return {
    q: writeQuery(clauses),
    format: 'json',
    categories: categories[source],
    ...(unit === undefined ? {} : { time_range: ranges[unit] }),
    ...(isPlain
      ? {}
      : {
          language: country === undefined || language.includes('-') ? language : `${language}-${country.toUpperCase()}`,
        }),
    ...(safe === undefined ? {} : { safesearch: safety[safe] }),
  }
}

const unitDays = [
  ['d', 1],
  ['w', 7],
  ['m', 30],
  ['y', 365],
] as const

/**
 * The smallest unit of SearXNG that covers a range. `undefined` if the range reaches back further
 * than a year.
 */
function unitCovering(range: TimeRange | undefined): keyof typeof ranges | undefined {
  if (range?.last?.count === 1) return range.last.unit
  if (range?.from === undefined) return undefined
  const days = (Date.now() - range.from.getTime()) / dayMs
  return unitDays.find(([, length]) => days <= length)?.[0]
}

/** Whether SearXNG filters by exactly this range. Its shortest unit is a day. */
function isUnit({ last }: TimeRange): boolean {
  return last?.count === 1 && last.unit !== 'h'
}

/**
 * SearXNG filters by whole units only. For other ranges, results without a date cannot be filtered.
 */
function undatedWarning({ range }: ProviderQuery, results: readonly Result[]): readonly string[] {
  if (range === undefined || isUnit(range)) return []
  const undated = results.filter(({ date }) => date === undefined).length
  if (undated === 0) return []
  return [
    `SearXNG cannot filter by this time range. ${undated} of ${results.length} results have no date and may be outside it.`,
  ]
}

async function collect(
  query: ProviderQuery,
  first: SearxngResponse,
  page: (number: number) => Promise<SearxngResponse>,
): Promise<Found> {
  const failedEngines = new Set<string>()
  const read = ({ results, unresponsive_engines: engines }: SearxngResponse): readonly Result[] => {
    for (const [name, why] of engines) failedEngines.add(`${String(name)} (${String(why)})`)
    return results.flatMap(toResult)
  }
  const results = await collectPages(query, maxPages, async (number) => read(number === 1 ? first : await page(number)))
  const warnings =
    failedEngines.size === 0 ? [] : [`These SearXNG engines did not respond: ${[...failedEngines].join(', ')}.`]
  return { results, warnings: [...warnings, ...undatedWarning(query, results)] }
}

/** Returns an empty list for a result without a URL, which some engines return. */
function toResult(found: SearxngResponse['results'][number]): readonly Result[] {
  const { url, title, content, publishedDate, img_src: picture, thumbnail, resolution } = found
  if (!url) return []
  const date = new Date(publishedDate ?? '')
  const [, width, height] = /(?<!\d)(\d+)\s*[x×]\s*(\d+)/.exec(resolution ?? '') ?? []
  const result = {
    url,
    title: title ?? url,
    description: content ?? '',
    ...(Number.isNaN(date.getTime()) ? {} : { date }),
    ...((picture ?? thumbnail) ? { imageUrl: picture ?? thumbnail ?? undefined } : {}),
    ...(width === undefined ? {} : { imageWidth: Number(width), imageHeight: Number(height) }),
  }
  return [result]
}
