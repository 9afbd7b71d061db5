import type { Document } from 'bowline/contract/document'
import { scrapeRequest } from 'bowline/contract/scrape'
import { BowlineError } from 'bowline/kit/errors'
import { headerScope } from '../map/site.ts'
import { extractJson, type LanguageModel } from '../scrape/format/language-model.ts'
import type { Scrapes } from '../scrape/scrapes.ts'
import { scrapeResults } from '../search/scrape-results.ts'
import type { ExtractJobRow } from '../store/extract-jobs.ts'
import { findPages, type FindPagesDeps } from './find-pages.ts'
import type { Plan } from './plan.ts'

/** What extracts. */
export interface ExtractDeps extends FindPagesDeps {
  readonly scrapes: Scrapes
  readonly languageModel: LanguageModel
}

/** What was extracted, and from what. */
export interface Extracted {
  readonly data: unknown
  /** Addresses of the pages that were read. */
  readonly pages: readonly string[]
  readonly warning: string | undefined
  /** Credits for the search that found pages. */
  readonly searchCredits: number
}

/** Characters of all pages that the model is given. */
const maxCharacters = 190_000

/** Scrapes the pages of a plan and has the model read them. Throws EXTRACTION_FAILED, or the signal's reason. */
export async function extractData(
  deps: ExtractDeps,
  plan: Plan,
  job: Pick<ExtractJobRow, 'teamId' | 'apiKeyId'>,
  signal: AbortSignal,
): Promise<Extracted> {
  const { urls, warnings, searchCredits } = await findPages(deps, plan, job, signal)
  const options = scrapeRequest.parse({ ...plan.scrapeOptions, formats: ['markdown'], url: 'http://extract.invalid/' })
  const { scrapes } = deps
  const order = {
    ...job,
    scrapes,
    options,
    takesHeaders: headerScopeOf(plan),
    baseUrl: plan.baseUrl,
    signal,
    isPrepaid: true,
  }
  const scraped = await scrapeResults(urls, order)
  signal.throwIfAborted()
  const isRead = ({ document }: { readonly document: Document }): boolean =>
    document.metadata.error === undefined && (document.markdown ?? '') !== ''
  const read = [...scraped].filter(([, outcome]) => isRead(outcome))
  const failures = [...scraped]
    .filter(([, outcome]) => !isRead(outcome))
    .map(([url, { document }]) => `${url}: ${document.metadata.error ?? 'it has no text'}`)
  const problems = [...warnings, ...failures]
  if (read.length === 0) {
    const why = problems.slice(0, 3).join('; ')
    throw new BowlineError(
      'EXTRACTION_FAILED',
      `None of ${urls.length} pages could be read${why === '' ? '' : `: ${why}`}`,
    )
  }
  const room = Math.floor(maxCharacters / read.length)
  const cut = read.filter(([, { document }]) => (document.markdown ?? '').length > room)
  problems.push(...cut.map(([url]) => `${url}: the model got its first ${room.toLocaleString('en')} characters`))
  const markdown = read.map(([url, { document }]) => `Page ${url}\n\n${(document.markdown ?? '').slice(0, room)}`)
  const wish = [plan.systemPrompt, plan.prompt].filter((part) => part !== undefined && part !== '').join('\n\n')
  const data = await extractJson(deps.languageModel, {
    markdown: markdown.join('\n\n---\n\n'),
    schema: plan.schema,
    prompt: wish === '' ? undefined : wish,
    signal,
  })
  const warning = problems.length === 0 ? undefined : problems.join('; ')
  return { data, pages: read.map(([url]) => url), warning, searchCredits }
}

/** Headers are for the sites that the request names, and not for pages that a search adds. */
function headerScopeOf({ pages, folders, includeSubdomains }: Plan): (url: URL) => boolean {
  const scopes = [...pages, ...folders].map((url) => headerScope(new URL(url), { includeSubdomains }))
  return (url) => scopes.some((takesHeaders) => takesHeaders(url))
}
