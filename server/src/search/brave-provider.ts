import { z } from 'zod'
import type { TimeRange } from 'bowline/contract/time-range'
import { fetchJson } from './fetch-json.ts'
import { collectPages } from './collect-pages.ts'
import { operatorsOf, withoutOperators } from './operators.ts'
import { writeQuery } from './parse-query.ts'
import type { Result, SearchProvider, ProviderQuery, Source } from './provider.ts'
import { resultText } from './result-text.ts'

/** Pixels. Values that are not numbers are ignored. */
const optionalSize = z.number().nullish().catch(undefined)

const item = z.looseObject({
  url: z.string(),
  title: resultText,
  description: resultText,
  /** Time of publication or last change. */
  page_age: resultText,
  thumbnail: z.looseObject({ src: resultText, original: resultText }).nullish().catch(undefined),
  properties: z.looseObject({ url: resultText, width: optionalSize, height: optionalSize }).nullish().catch(undefined),
})

const list = z.looseObject({ results: z.array(item) })

/** Web results are nested one level deeper than those of the other sources. */
const responseSchema = z.looseObject({ web: list.nullish(), results: z.array(item).nullish() })

/** Limits of each source: results per page, and pages. */
const limits: Readonly<Record<Source, { readonly count: number; readonly pages: number }>> = {
  web: { count: 20, pages: 10 },
  news: { count: 50, pages: 10 },
  images: { count: 200, pages: 1 },
}

const countries = new Set(
  'ar au at be br ca cl dk fi fr de gr hk in id it jp kr my mx nl nz no cn pl pt ph ru sa za es se ch tw tr gb us'.split(
    ' ',
  ),
)

/** Creates a provider that uses the Brave Search API. */
export function createBraveProvider({
  url: baseUrl,
  key,
}: {
  readonly url: string
  readonly key: string
}): SearchProvider {
  return {
    name: 'brave',
    sources: ['web', 'images', 'news'],
    search: async (query, signal) => {
      const { count, pages } = limits[query.source]
      const parameters = parametersOf(query, count)
      const results = await collectPages(query, pages, async (number) => {
        const url = new URL(`${baseUrl}/${query.source}/search`)
        for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
        if (number > 1) url.searchParams.set('offset', String(number - 1))
        const headers = { 'x-subscription-token': key }
        const found = await fetchJson({ service: 'Brave Search', url, headers, schema: responseSchema, signal })
        return (found.web?.results ?? found.results ?? []).map((each) => toResult(each, query.source))
      })
      return { results, warnings: warningsOf(query) }
    },
  }
}

function warningsOf(query: ProviderQuery): readonly string[] {
  return [
    ...(queryOf(query).length > maxQueryLength
      ? [`Brave Search accepts queries of up to ${maxQueryLength} characters. The rest of the query was ignored.`]
      : []),
    ...warningsOfOptions(query),
  ]
}

/** Maximum length of a query in characters. */
const maxQueryLength = 400

function queryOf(query: ProviderQuery): string {
  return writeQuery(withoutOperators(operatorsOf(query), new Set(['inurl', 'related'])))
}

function warningsOfOptions({ country, clauses }: ProviderQuery): readonly string[] {
  return [
    ...(country === undefined || countries.has(country)
      ? []
      : [`Brave Search does not support the country ${country.toUpperCase()}. Results are from all countries.`]),
    ...(clauses.some(({ kind, isExcluded }) => kind === 'related' && !isExcluded)
      ? ['Brave Search does not support related:. The query contains the name of the site instead.']
      : []),
  ]
}

function parametersOf(query: ProviderQuery, count: number): Readonly<Record<string, string>> {
  const { source, language, country, safe, range } = query
  const isImages = source === 'images'
  return {
    q: queryOf(query).slice(0, maxQueryLength),
    count: String(isImages || query.clauses.length > 1 ? count : Math.min(count, query.limit)),
    ...(country === undefined ? {} : { country: countries.has(country) ? country.toUpperCase() : 'ALL' }),
    search_lang: languageOf(language),
    ...(safe === undefined ? {} : { safesearch: isImages && safe === 'moderate' ? 'strict' : safe }),
    ...(isImages
      ? {}
      : { text_decorations: 'false', ...(range === undefined ? {} : { freshness: freshnessOf(range) }) }),
  }
}

function languageOf(language: string): string {
  const lower = language.toLowerCase()
  if (lower === 'pt') return 'pt-pt'
  if (/^(?:en-gb|pt-br|pt-pt|zh-hans|zh-hant)$/.test(lower)) return lower
  const base = lower.split('-')[0] ?? lower
  return base === 'zh' ? 'zh-hans' : base === 'ja' ? 'jp' : base
}

function freshnessOf({ last, from, until }: TimeRange): string {
  if (last !== undefined && last.count === 1) return { h: 'pd', d: 'pd', w: 'pw', m: 'pm', y: 'py' }[last.unit]
  const day = (date: Date): string => date.toISOString().slice(0, 10)
  return `${day(from ?? new Date(0))}to${day(until ?? new Date())}`
}

function toResult(found: z.output<typeof item>, source: Source): Result {
  const { url, title, description, page_age: age, thumbnail, properties } = found
  const date = new Date(age === undefined || age === null || /[zZ]|[+-]\d\d:?\d\d$/.test(age) ? (age ?? '') : `${age}Z`)
  const imageUrl = (source === 'images' ? properties?.url : undefined) ?? thumbnail?.original ?? thumbnail?.src
  return {
    url,
    title: title ?? url,
    description: description ?? '',
    ...(Number.isNaN(date.getTime()) ? {} : { date }),
    ...(imageUrl ? { imageUrl } : {}),
    ...(source === 'images' && properties?.width ? { imageWidth: properties.width } : {}),
    ...(source === 'images' && properties?.height ? { imageHeight: properties.height } : {}),
  }
}
