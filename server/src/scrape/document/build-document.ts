import type { ActionResults, Document } from 'bowline/contract/document'
import type { Format } from 'bowline/contract/formats'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { BowlineError } from 'bowline/kit/errors'
import type { Semaphore } from '../../kit/semaphore.ts'
import type { Store } from '../../store/store.ts'
import { trackingKeyOf } from './cache-key.ts'
import { extractJson, maxCharacters, type LanguageModel } from '../format/language-model.ts'
import { trackChanges, type TrackedChange } from '../format/track-changes.ts'
import { summarize } from '../format/summarize.ts'
import { isEnhancedProxy, type LoadedByProxy } from '../load/load-with-proxy.ts'
import type { LoadedPage } from '../fetch/loaded-page.ts'
import { makeTextFormats, type TextFormats } from './text-formats.ts'
import type { ActionYield } from '../render/perform-actions.ts'
import type { FileKeeper } from './scrape-files.ts'
import { warningOfUnapplied } from './unapplied-options.ts'

/** What a document is made from. */
export interface FinishDeps extends LoadedByProxy {
  readonly store: Store
  readonly languageModel: LanguageModel | undefined
  readonly hasEnhancedProxy: boolean
  readonly files: FileKeeper
  /** Places to read PDFs in. */
  readonly pdfSlots: Semaphore
  readonly request: ScrapeRequest
  readonly teamId: string
  readonly signal: AbortSignal
}

/** A document, and what else came of its page. */
export interface FinishedDocument {
  readonly document: Document
  /** Pages that are billed. */
  readonly pages: number
  readonly markdown: string
  /** The page as it is stored. */
  readonly stored: LoadedPage
  /** Keeps the state of a page whose changes are tracked, in the transaction that enters the scrape. */
  readonly keep: TrackedChange['keep'] | undefined
}

/** Makes the document of a loaded page: all formats, and what is known about it. */
export async function finishDocument(deps: FinishDeps): Promise<FinishedDocument> {
  const { request, page, reading, isRendered, files } = deps
  const unapplied = warningOfUnapplied(request, page, isRendered)
  const made = await makeTextFormats(request, page, reading, deps)
  const actions = page.actions === undefined ? undefined : await storeActions(files, page.actions)
  const screenshot = page.screenshot === undefined ? undefined : await files.keep(page.screenshot)
  const json = await extractData(deps, made)
  const summary = await summarizePage(deps, made)
  const tracking = await track(deps, made)
  const warning = [
    page.warning,
    unapplied,
    made.warning,
    warningOfModel(request, made),
    tracking?.warning,
    proxyWarning(deps),
  ]
    .filter((each) => each !== undefined)
    .join(' ')
  const document: Document = {
    ...made.formats,
    ...(screenshot !== undefined && { screenshot }),
    ...(json !== undefined && { json }),
    ...(summary !== undefined && { summary }),
    ...(tracking !== undefined && { changeTracking: tracking.changeTracking }),
    ...(actions !== undefined && { actions }),
    ...(warning !== '' && { warning }),
    metadata: metadataOf(deps, made),
  }
  const { pages, markdown } = made
  return { document, pages, markdown, stored: { ...page, body: made.stored }, keep: tracking?.keep }
}

function warningOfModel({ formats }: ScrapeRequest, { markdown }: TextFormats): string | undefined {
  const isExtracted = formats.some(
    (format) =>
      format.type === 'json' ||
      format.type === 'summary' ||
      (format.type === 'changeTracking' && format.modes.includes('json')),
  )
  const [sent, all] = [maxCharacters, markdown.length].map((count) => count.toLocaleString('en'))
  if (!isExtracted || markdown.length <= maxCharacters) return undefined
  return `The language model got the first ${sent} of ${all} characters of Markdown.`
}

/** Without an enhanced proxy, pages that ask for one come the basic way, at the basic price. */
function proxyWarning({ request: { proxy }, hasEnhancedProxy }: FinishDeps): string | undefined {
  if (hasEnhancedProxy || !isEnhancedProxy(proxy)) return undefined
  return `The proxy "${proxy}" is not configured on this server: the page was scraped without it.`
}

async function summarizePage(
  { request, languageModel, signal }: FinishDeps,
  { markdown }: TextFormats,
): Promise<string | undefined> {
  if (languageModel === undefined || !request.formats.some(({ type }) => type === 'summary')) return undefined
  return summarize(languageModel, { markdown, signal })
}

function metadataOf({ page, isEnhanced }: FinishDeps, { metadata }: TextFormats): Document['metadata'] {
  return {
    ...Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined)),
    url: page.url,
    statusCode: page.statusCode,
    ...(page.contentType === undefined ? {} : { contentType: page.contentType }),
    ...(page.statusCode >= 400 && { error: `The page answered ${page.statusCode}` }),
    proxyUsed: isEnhanced ? 'stealth' : 'basic',
  }
}

async function storeActions(files: FileKeeper, yielded: ActionYield): Promise<ActionResults> {
  const results: ActionResults = {
    screenshots: [],
    scrapes: [...yielded.scrapes],
    javascriptReturns: yielded.javascriptReturns.map((each) => ({ ...each })),
    pdfs: [],
  }
  for (const screenshot of yielded.screenshots) results.screenshots.push(await files.keep(screenshot))
  for (const pdf of yielded.pdfs) results.pdfs.push(await files.keep(pdf))
  return results
}

async function extractData(deps: FinishDeps, { markdown }: TextFormats): Promise<unknown> {
  const format = deps.request.formats.find((each) => each.type === 'json')
  return format === undefined ? undefined : extract(deps, format, markdown)
}

async function extract(
  { languageModel, signal }: FinishDeps,
  { schema, prompt }: Pick<Extract<Format, { type: 'json' }>, 'schema' | 'prompt'>,
  markdown: string,
): Promise<unknown> {
  if (languageModel === undefined) throw new BowlineError('FORMAT_UNAVAILABLE', 'No language model is configured')
  return extractJson(languageModel, { markdown, schema, prompt, signal })
}

async function track(deps: FinishDeps, made: TextFormats): Promise<TrackedChange | undefined> {
  const { request, store, teamId, page } = deps
  const format = request.formats.find((each) => each.type === 'changeTracking')
  if (format === undefined) return undefined
  const trackingKey = trackingKeyOf(request, format.tag)
  const state = { teamId, trackingKey, markdown: made.markdown, statusCode: page.statusCode }
  const isExtracted = format.modes.includes('json')
  return trackChanges(store, format, {
    ...state,
    extract: isExtracted ? async (markdown) => extract(deps, format, markdown) : undefined,
  })
}
