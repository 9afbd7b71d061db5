import type { SchemaChecker } from '../../json-schema/schema-checker.ts'
import type { ActionResults, Document } from 'bowline/contract/document'
import type { Format } from 'bowline/contract/formats'
import { redactionOf } from 'bowline/contract/redaction'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { BowlineError } from 'bowline/kit/errors'
import type { Jail } from '../../browsers/jail.ts'
import type { Semaphore } from '../../kit/semaphore.ts'
import type { Store } from '../../store/store.ts'
import { trackingKeys } from './cache-key.ts'
import { extractJson, maxCharacters, type LanguageModel } from '../format/language-model.ts'
import { trackChanges, type TrackedChange } from '../format/track-changes.ts'
import { answerQuestion } from '../format/answer-question.ts'
import { highlightPassages } from '../format/highlights.ts'
import type { HtmlProcesses } from '../format/html-processes.ts'
import { readsMarkdown } from '../format/model-formats.ts'
import { summarize } from '../format/summarize.ts'
import { asksForEnhancedProxy, type ProxiedLoad } from '../load/load-with-proxy.ts'
import type { LoadedPage } from '../fetch/loaded-page.ts'
import type { TextFormats } from './made-formats.ts'
import { makeTextFormats } from './text-formats.ts'
import type { ActionOutput } from '../render/perform-actions.ts'
import type { ScrapeFiles } from './scrape-files.ts'
import { unappliedWarning, unreadBrandingWarning, unusedFieldsWarning, wantsBranding } from './unapplied-options.ts'

/**
 * Options of `buildDocument`: a loaded page, its request, and the parts of the server that formats
 * need.
 */
export interface BuildOptions extends ProxiedLoad {
  readonly store: Store
  readonly languageModel: LanguageModel | undefined
  readonly schemas: Pick<SchemaChecker, 'warningAbout'>
  readonly hasEnhancedProxy: boolean
  readonly files: ScrapeFiles
  readonly workers: HtmlProcesses
  /** Limits how many PDFs are parsed at once. */
  readonly pdfSlots: Semaphore
  /** The bubblewrap around parsers of PDFs and images. Undefined: browsers have none either. */
  readonly jail: Jail | undefined
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
  const text = await redact(deps, await makeTextFormats(request, page, processed, deps))
  const actions = page.actions === undefined ? undefined : await storeActions(files, page.actions)
  const screenshot = page.screenshot === undefined ? undefined : await files.save(page.screenshot)
  const hasText = text.markdown.trim() !== ''
  const extracted = hasText ? await extractData(deps, text) : undefined
  const summary = hasText ? await summarizePage(deps, text) : undefined
  const answer = hasText ? await answerFrom(deps, text) : undefined
  const highlights = hasText ? await highlight(deps, text) : undefined
  const tracking = await track(deps, text)
  const warning = [
    page.warning,
    unapplied,
    isRendered ? unreadBrandingWarning(request, page) : undefined,
    text.warning,
    hasText ? truncationWarning(deps, text) : noTextWarning(request),
    page.warning === undefined ? emptyWarning(page) : undefined,
    productWarning(text),
    hasText ? undefined : noMarkdownWarning(deps, text),
    extracted?.warning,
    unusedFieldsWarning(request),
    tracking?.warning,
    proxyWarning(deps),
  ]
    .filter((each) => each !== undefined)
    .join(' ')
  const document: Document = {
    ...text.formats,
    ...(screenshot !== undefined && { screenshot }),
    ...(extracted !== undefined && { json: extracted.data }),
    ...(summary !== undefined && { summary }),
    ...(answer !== undefined && { answer }),
    ...(highlights !== undefined && { highlights }),
    ...(wantsBranding(request) && page.branding !== undefined && { branding: page.branding }),
    ...(tracking !== undefined && { changeTracking: tracking.changeTracking }),
    ...(actions !== undefined && { actions }),
    ...(warning !== '' && { warning }),
    metadata: metadataOf(deps, text),
  }
  const { pages, markdown } = text
  return { document, pages, markdown, stored: { ...page, body: text.stored }, saveTrackedState: tracking?.save }
}

/** Redacts the Markdown, before other formats are made from it. */
async function redact({ request, workers, signal }: BuildOptions, text: TextFormats): Promise<TextFormats> {
  const redaction = redactionOf(request.redactPII)
  if (redaction === undefined) return text
  const markdown = await workers.redact(text.markdown, redaction, { signal })
  const { formats } = text
  return { ...text, markdown, formats: { ...formats, ...(formats.markdown !== undefined && { markdown }) } }
}

function truncationWarning({ request, languageModel }: BuildOptions, { markdown }: TextFormats): string | undefined {
  const readsMarkdownWithLlm = languageModel !== undefined && request.formats.some(readsMarkdown)
  const [sent, all] = [maxCharacters, markdown.length].map((count) => count.toLocaleString('en'))
  if (!readsMarkdownWithLlm || markdown.length <= maxCharacters) return undefined
  return `The language model got the first ${sent} of ${all} characters of Markdown.`
}

/** A page without content, such as a response with the status 204. */
function emptyWarning({ body, statusCode }: LoadedPage): string | undefined {
  const content = body.kind === 'html' ? body.html : body.kind === 'text' ? body.text : undefined
  // The browser adds elements to an empty response.
  if (
    content === undefined ||
    !/^\s*(?:<!doctype html>)?(?:<html><head><\/head><body><\/body><\/html>)?$/.test(content)
  )
    return undefined
  return `The page is empty: the site responded with status ${statusCode} and no content.`
}

/** A page without text, for which no other warning has the reason. */
function noMarkdownWarning({ request, page }: BuildOptions, { warning }: TextFormats): string | undefined {
  const isExplained = [page.warning, warning, noTextWarning(request), emptyWarning(page)].some(
    (each) => each !== undefined,
  )
  if (isExplained || page.body.kind !== 'html' || !request.formats.some(({ type }) => type === 'markdown'))
    return undefined
  if (request.includeTags !== undefined && request.includeTags.length > 0) return 'The selected elements have no text.'
  return request.onlyMainContent
    ? 'The main content of the page has no text. `onlyMainContent: false` includes the rest of the page.'
    : 'The page has no text.'
}

/** A language model asked about a page without text would invent its answer. */
function noTextWarning({ formats }: ScrapeRequest): string | undefined {
  const names = formats.filter((each) => readsMarkdown(each) && each.type !== 'changeTracking').map(({ type }) => type)
  return names.length === 0 ? undefined : `The page has no text from which to make: ${names.join(', ')}.`
}

/**
 * Without an enhanced proxy on this server, requests for it use the basic one, at the basic price.
 */
function proxyWarning({ request: { proxy }, hasEnhancedProxy, isEnhanced }: BuildOptions): string | undefined {
  if (hasEnhancedProxy || isEnhanced || !asksForEnhancedProxy(proxy)) return undefined
  return `The proxy "${proxy}" is not configured on this server: the page was scraped without it.`
}

/** A page without a product has the product `null`. */
function productWarning({ formats: { product } }: TextFormats): string | undefined {
  return product === null ? 'No product found on this page; it does not appear to be a product page.' : undefined
}

async function answerFrom(
  { request: { formats }, languageModel, signal }: BuildOptions,
  { markdown }: TextFormats,
): Promise<string | undefined> {
  const format = formats.find((each) => each.type === 'question' || each.type === 'query')
  if (format === undefined || languageModel === undefined) return undefined
  return format.type === 'question'
    ? answerQuestion(languageModel, { markdown, question: format.question, signal })
    : answerQuestion(languageModel, {
        markdown,
        question: format.prompt,
        isQuotation: format.mode === 'directQuote',
        signal,
      })
}

async function highlight(
  { request: { formats }, languageModel, signal }: BuildOptions,
  { markdown }: TextFormats,
): Promise<string | undefined> {
  const format = formats.find((each) => each.type === 'highlights')
  return format === undefined ? undefined : highlightPassages(languageModel, { markdown, query: format.query, signal })
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
    ...(page.url !== '' && { url: page.url }),
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

async function extractData(
  deps: BuildOptions,
  { markdown }: TextFormats,
): Promise<{ readonly data: unknown; readonly warning: string | undefined } | undefined> {
  const format = deps.request.formats.find((each) => each.type === 'json')
  if (format === undefined) return undefined
  const data = await extract(deps, format, markdown)
  return { data, warning: await deps.schemas.warningAbout(deps.teamId, format.schema, data) }
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
  const { request, store, teamId, page, workers, signal } = deps
  const format = request.formats.find((each) => each.type === 'changeTracking')
  if (format === undefined) return undefined
  const state = {
    teamId,
    ...trackingKeys(request, format.tag),
    markdown: text.markdown,
    statusCode: page.statusCode,
  }
  const readsMarkdownWithLlm = format.modes.includes('json')
  return trackChanges(store, format, {
    ...state,
    compareLongTexts: async (before, after) => workers.compare(before, after, { signal }),
    extract: readsMarkdownWithLlm ? async (markdown) => extract(deps, format, markdown) : undefined,
  })
}
