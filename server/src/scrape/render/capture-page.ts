import type { Branding } from 'bowline/contract/branding'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { parseJson } from 'bowline/kit/parse-json'
import { classifyBody } from '../fetch/classify-body.ts'
import type { LoadedPage } from '../fetch/loaded-page.ts'
import { readStyles } from './branding-script.ts'
import { describeBranding, pageStyles } from './describe-branding.ts'
import { takeScreenshot, type CapturedFile } from './capture.ts'
import { evaluateText } from './evaluate.ts'
import type { MainResponse } from './navigate.ts'
import type { ActionOutput } from './perform-actions.ts'
import { withoutFragment, type PageSource } from './reload-with-charset.ts'
import { serializePage } from './serialize-page.ts'
import type { Tab } from './tab.ts'

/** A page as rendered by a browser. */
export interface RenderedPage extends LoadedPage {
  readonly screenshot: CapturedFile | undefined
  readonly actions: ActionOutput | undefined
}

/** Facts about a page that were collected before it is captured. */
export interface CapturedFacts {
  readonly response: MainResponse | undefined
  /** Whether the egress policy blocked the last URL that the page navigated to. Default: false. */
  readonly isRefused?: boolean
  /** Source of the page, if it was loaded again. */
  readonly source: PageSource | undefined
  readonly actions: ActionOutput | undefined
}

/**
 * Reads a page in its current state, and takes the requested screenshot. Throws SCRAPE_*, or
 * EGRESS_REFUSED.
 */
export async function capturePage(
  tab: Tab,
  { formats }: Pick<ScrapeRequest, 'formats'>,
  { response, isRefused = false, source, actions }: CapturedFacts,
): Promise<RenderedPage> {
  const options = formats.find((format) => format.type === 'screenshot')
  const screenshot = options === undefined ? undefined : await takeScreenshot(tab, options)
  const { contentType } = response ?? {}
  const isMarkup = contentType === undefined || /html/i.test(contentType)
  const content = isMarkup ? await readMarkup(tab) : await readText(tab, contentType, source)
  const branding = isMarkup && formats.some(({ type }) => type === 'branding') ? await readBranding(tab) : undefined
  // Chromium also shows an error page for responses with an error status and no body.
  if (content.url.startsWith('chrome-error:') && (response?.statusCode ?? 200) < 400) {
    const site = response === undefined ? 'The page' : new URL(response.url).host
    throw isRefused
      ? new BowlineError('EGRESS_REFUSED', `${site} navigated to a URL that is not allowed`)
      : new BowlineError('SCRAPE_SITE_ERROR', `${site} navigated to a URL that could not be loaded`)
  }
  return {
    ...content,
    statusCode: response?.statusCode ?? 200,
    contentType,
    retryAfter: response?.retryAfter,
    screenshot,
    actions,
    branding,
  }
}

async function readBranding(tab: Tab): Promise<Branding | undefined> {
  const [url, styles] = [await evaluateText(tab, '() => location.href'), await evaluateText(tab, readStyles)]
  // Scripts of the page can replace what another script returns.
  const parsed = pageStyles.safeParse(parseJson(styles ?? ''))
  return parsed.success ? describeBranding(parsed.data, url ?? '') : undefined
}

async function readMarkup(tab: Tab): Promise<Pick<LoadedPage, 'url' | 'body'>> {
  const { url, html } = await serializePage(tab)
  return { url, body: { kind: 'html', html } }
}

async function readText(
  tab: Tab,
  contentType: string,
  source: PageSource | undefined,
): Promise<Pick<LoadedPage, 'url' | 'body'>> {
  const url = String(await evaluateText(tab, '() => location.href'))
  if (source?.url === withoutFragment(url)) return { url, body: classifyBody(source.bytes, contentType) }
  // Read the source, without the markup that Chromium adds to show XML or images.
  const resource = { frameId: tab.targetId, url: withoutFragment(url) }
  const stored = await tab.call('Page.getResourceContent', resource).catch((error: unknown) => {
    // Chromium does not keep responses that ask for a password.
    if (isBowlineError(error) && error.code === 'CDP_FAILED') return undefined
    throw error
  })
  const shown = async (): Promise<string> => (await evaluateText(tab, '() => document.body?.innerText')) ?? ''
  const bytes =
    stored === undefined
      ? Buffer.from(await shown())
      : Buffer.from(stored.content, stored.base64Encoded ? 'base64' : 'utf8')
  return { url, body: classifyBody(bytes, `${contentType.split(';')[0]}; charset=utf-8`) }
}
