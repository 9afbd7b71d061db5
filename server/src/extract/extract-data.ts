import type { Document } from 'bowline/contract/document'
import { scrapeRequest } from 'bowline/contract/scrape'
import { BowlineError } from 'bowline/kit/errors'
import { urlWithoutFragment } from '../kit/url-without-fragment.ts'
import { headerScope } from '../map/site.ts'
import type { SchemaChecker } from '../json-schema/schema-checker.ts'
import { extractJson, type LanguageModel } from '../scrape/format/language-model.ts'
import type { PricedScrape } from '../scrape/priced-scrape.ts'
import { scrapeInSlot, type ScrapeInSlotDeps } from '../scrape/scrape-in-slot.ts'
import type { ScrapeCall } from '../scrape/scrape-call.ts'
import { scrapeResults } from '../search/scrape-results.ts'
import { isStoreUnavailable } from '../store/unavailable.ts'
import type { ExtractJobRow } from './extract-job-queries.ts'
import type { Extracted } from './extracted.ts'
import { findPages, type FindPagesDeps } from './find-pages.ts'
import type { PageScrapes } from './page-scrapes.ts'
import type { Plan } from './plan.ts'

/** Dependencies of `extractData`. */
export interface ExtractDeps extends FindPagesDeps, ScrapeInSlotDeps {
  readonly languageModel: LanguageModel
  readonly schemas: Pick<SchemaChecker, 'warningAbout'>
}

/** Maximum number of characters of all pages given to the model. */
const maxCharacters = 190_000

/**
 * Scrapes the pages of a plan and extracts data from them with the language model. Adds the pages
 * to `pages`, for the caller to save. Throws EXTRACTION_FAILED, STORE_UNAVAILABLE, or the signal's
 * reason.
 */
export async function extractData(
  deps: ExtractDeps,
  plan: Plan,
  job: Pick<ExtractJobRow, 'teamId' | 'apiKeyId'>,
  { pages, signal }: { readonly pages: PageScrapes; readonly signal: AbortSignal },
): Promise<Extracted> {
  const { urls, warnings, searchCredits } = await findPages(deps, plan, job, signal)
  const scraped = await scrapePages(deps, { ...job, plan, urls, pages, signal })
  const hasText = ({ document }: { readonly document: Document }): boolean =>
    document.metadata.error === undefined && (document.markdown ?? '') !== ''
  const read = withoutRepeats([...scraped].filter(([, outcome]) => hasText(outcome)))
  const failures = [...scraped]
    .filter(([, outcome]) => !hasText(outcome))
    .map(([url, { document }]) => `${url}: ${document.metadata.error ?? 'the page has no text'}`)
  const problems = [...warnings, ...failures]
  if (read.length === 0) {
    const reason = problems.slice(0, 3).join('; ')
    throw new BowlineError(
      'EXTRACTION_FAILED',
      `None of ${urls.length} pages could be read${reason === '' ? '' : `: ${reason}`}`,
    )
  }
  const maxPageCharacters = Math.floor(maxCharacters / read.length)
  const truncated = read.filter(([, { document }]) => (document.markdown ?? '').length > maxPageCharacters)
  problems.push(
    ...truncated.map(
      ([url]) => `${url}: only the first ${maxPageCharacters.toLocaleString('en')} characters were used`,
    ),
  )
  const markdown = read.map(
    ([url, { document }]) => `Page ${url}\n\n${(document.markdown ?? '').slice(0, maxPageCharacters)}`,
  )
  const prompt = [plan.systemPrompt, plan.prompt].filter((part) => part !== undefined && part !== '').join('\n\n')
  const data = await extractJson(deps.languageModel, {
    markdown: markdown.join('\n\n---\n\n'),
    schema: plan.schema,
    prompt: prompt === '' ? undefined : prompt,
    signal,
  })
  const mismatch = await deps.schemas.warningAbout(job.teamId, plan.schema, data)
  if (mismatch !== undefined) problems.push(mismatch)
  const warning = problems.length === 0 ? undefined : problems.join('; ')
  return { data, pages: read.map(([url]) => url), warning, searchCredits }
}

/** Returns each page once, even if several URLs redirect to it. */
function withoutRepeats<Outcome extends { readonly document: Document }>(
  read: readonly (readonly [url: string, Outcome])[],
): readonly (readonly [url: string, Outcome])[] {
  const pages = new Map<string, readonly [string, Outcome]>()
  for (const each of read) {
    const [url, { document }] = each
    const finalUrl = urlWithoutFragment(document.metadata.url ?? url)
    if (!pages.has(finalUrl)) pages.set(finalUrl, each)
  }
  return [...pages.values()]
}

interface PagesToScrape extends Pick<ExtractJobRow, 'teamId' | 'apiKeyId'> {
  readonly plan: Plan
  readonly urls: readonly string[]
  readonly pages: PageScrapes
  readonly signal: AbortSignal
}

/**
 * Scrapes the pages of a plan, each with its document or its error. Throws STORE_UNAVAILABLE, which
 * is not a failure of a page, or the signal's reason.
 */
async function scrapePages(
  deps: ScrapeInSlotDeps,
  { plan, urls, pages, signal, ...job }: PagesToScrape,
): ReturnType<typeof scrapeResults> {
  const options = scrapeRequest.parse({ ...plan.scrapeOptions, formats: ['markdown'], url: 'http://extract.invalid/' })
  let outage: unknown
  const scrape = async (call: ScrapeCall): Promise<PricedScrape> => {
    const scraped = await scrapeInSlot(deps, call).catch((error: unknown) => {
      if (isStoreUnavailable(error)) outage = error
      throw error
    })
    pages.add(scraped)
    return scraped
  }
  const takesHeaders = headerScopeOf(plan)
  const scraped = await scrapeResults(urls, { ...job, scrape, options, takesHeaders, baseUrl: plan.baseUrl, signal })
  signal.throwIfAborted()
  if (outage !== undefined) throw outage
  return scraped
}

/** Custom headers are only sent to sites named in the request, not to pages found by a search. */
function headerScopeOf({ pages, folders, includeSubdomains }: Plan): (url: URL) => boolean {
  const scopes = [...pages, ...folders].map((url) => headerScope(new URL(url), { includeSubdomains }))
  return (url) => scopes.some((takesHeaders) => takesHeaders(url))
}
