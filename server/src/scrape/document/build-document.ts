import type { ActionResults, Document } from 'bowline/contract/document'
import type { Format } from 'bowline/contract/formats'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { BowlineError } from 'bowline/kit/errors'
import type { Semaphore } from '../../kit/semaphore.ts'
import type { Store } from '../../store/store.ts'
import { trackingKey } from './cache-key.ts'
import { extractJson, maxCharacters, type LanguageModel } from '../format/language-model.ts'
import { trackChanges, type TrackedChange } from '../format/track-changes.ts'
import { summarize } from '../format/summarize.ts'
import { asksForEnhancedProxy, type ProxiedLoad } from '../load/load-with-proxy.ts'
import type { LoadedPage } from '../fetch/loaded-page.ts'
import { makeTextFormats, type TextFormats } from './text-formats.ts'
import type { ActionOutput } from '../render/perform-actions.ts'
import type { ScrapeFiles } from './scrape-files.ts'
import { unappliedWarning } from './unapplied-options.ts'

/**
 * Options of `buildDocument`: a loaded page, its request, and the parts of the server that formats
 * need.
 */
export interface BuildOptions extends ProxiedLoad {
  readonly store: Store
  readonly languageModel: LanguageModel | undefined
  readonly hasEnhancedProxy: boolean
  readonly files: ScrapeFiles
  /** Limits how many PDFs are parsed at once. */
  readonly pdfSlots: Semaphore
  readonly request: ScrapeRequest
  readonly teamId: string
  readonly signal: AbortSignal
}

/** A document, and what is stored and billed with it. */
export interface BuiltDocument {
  readonly document: Document
  /** Number of pages to bill. */
  readonly pages: number
  readonly markdown: string
  /** The page to store in the cache. */
  readonly stored: LoadedPage
  /** Saves the state of a page with `changeTracking`, in the transaction that stores the scrape. */
  readonly saveTrackedState: TrackedChange['save'] | undefined
}

/**
 * Builds the document of a loaded page: all requested formats, metadata and warnings. Throws
 * EXTRACTION_FAILED, PDF_*.
 */
export async function buildDocument(deps: BuildOptions): Promise<BuiltDocument> {
  const { request, page, processed, isRendered, files } = deps
  const unapplied = unappliedWarning(request, page, isRendered)
  const text = await makeTextFormats(request, page, processed, deps)
  const actions = page.actions === undefined ? undefined : await storeActions(files, page.actions)
  const screenshot = page.screenshot === undefined ? undefined : await files.save(page.screenshot)
  const json = await extractData(deps, text)
  const summary = await summarizePage(deps, text)
  const tracking = await track(deps, text)
  const warning = [
    page.warning,
    unapplied,
    text.warning,
    truncationWarning(request, text),
    tracking?.warning,
    proxyWarning(deps),
  ]
    .filter((each) => each !== undefined)
    .join(' ')
  const document: Document = {
    ...text.formats,
    ...(screenshot !== undefined && { screenshot }),
    ...(json !== undefined && { json }),
    ...(summary !== undefined && { summary }),
    ...(tracking !== undefined && { changeTracking: tracking.changeTracking }),
    ...(actions !== undefined && { actions }),
    ...(warning !== '' && { warning }),
    metadata: metadataOf(deps, text),
  }
  const { pages, markdown } = text
  return { document, pages, markdown, stored: { ...page, body: text.stored }, saveTrackedState: tracking?.save }
}

function truncationWarning({ formats }: ScrapeRequest, { markdown }: TextFormats): string | undefined {
  const readsMarkdownWithLlm = formats.some(
    (format) =>
      format.type === 'json' ||
      format.type === 'summary' ||
      (format.type === 'changeTracking' && format.modes.includes('json')),
  )
  const [sent, all] = [maxCharacters, markdown.length].map((count) => count.toLocaleString('en'))
  if (!readsMarkdownWithLlm || markdown.length <= maxCharacters) return undefined
  return `The language model got the first ${sent} of ${all} characters of Markdown.`
}

/**
 * Without an enhanced proxy on this server, requests for it use the basic one, at the basic price.
 */
function proxyWarning({ request: { proxy }, hasEnhancedProxy, isEnhanced }: BuildOptions): string | undefined {
  if (hasEnhancedProxy || isEnhanced || !asksForEnhancedProxy(proxy)) return undefined
  return `The proxy "${proxy}" is not configured on this server: the page was scraped without it.`
}

async function summarizePage(
  { request, languageModel, signal }: BuildOptions,
  { markdown }: TextFormats,
): Promise<string | undefined> {
  if (languageModel === undefined || !request.formats.some(({ type }) => type === 'summary')) return undefined
  return summarize(languageModel, { markdown, signal })
}

function metadataOf({ page, isEnhanced }: BuildOptions, { metadata }: TextFormats): Document['metadata'] {
  return {
    ...Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined)),
    url: page.url,
    statusCode: page.statusCode,
    ...(page.contentType === undefined ? {} : { contentType: page.contentType }),
    ...(page.statusCode >= 400 && { error: `The page responded with status ${page.statusCode}` }),
    proxyUsed: isEnhanced ? 'stealth' : 'basic',
  }
}

async function storeActions(files: ScrapeFiles, output: ActionOutput): Promise<ActionResults> {
  const results: ActionResults = {
    screenshots: [],
    scrapes: [...output.scrapes],
    javascriptReturns: output.javascriptReturns.map((each) => ({ ...each })),
    pdfs: [],
  }
  for (const screenshot of output.screenshots) results.screenshots.push(await files.save(screenshot))
  for (const pdf of output.pdfs) results.pdfs.push(await files.save(pdf))
  return results
}

async function extractData(deps: BuildOptions, { markdown }: TextFormats): Promise<unknown> {
  const format = deps.request.formats.find((each) => each.type === 'json')
  return format === undefined ? undefined : extract(deps, format, markdown)
}

async function extract(
  { languageModel, signal }: BuildOptions,
  { schema, prompt }: Pick<Extract<Format, { type: 'json' }>, 'schema' | 'prompt'>,
  markdown: string,
): Promise<unknown> {
  if (languageModel === undefined) throw new BowlineError('FORMAT_UNAVAILABLE', 'No language model is configured')
  return extractJson(languageModel, { markdown, schema, prompt, signal })
}

async function track(deps: BuildOptions, text: TextFormats): Promise<TrackedChange | undefined> {
  const { request, store, teamId, page } = deps
  const format = request.formats.find((each) => each.type === 'changeTracking')
  if (format === undefined) return undefined
  const state = {
    teamId,
    trackingKey: trackingKey(request, format.tag),
    markdown: text.markdown,
    statusCode: page.statusCode,
  }
  const readsMarkdownWithLlm = format.modes.includes('json')
  return trackChanges(store, format, {
    ...state,
    extract: readsMarkdownWithLlm ? async (markdown) => extract(deps, format, markdown) : undefined,
  })
}
