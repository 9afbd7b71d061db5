import { sleep } from 'bowline/kit/sleep'
import type { SessionScrapeRequest } from 'bowline/contract/session-scrape'
import { mergeSignals } from 'bowline/kit/abort'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { OversizedResult } from '../../cdp/message-limits.ts'
import { sessionEnded } from '../../kit/session-ended.ts'
import { findTarget, frontPage, type DiscoveredTarget } from '../../sessions/discover-targets.ts'
import type { LiveSession } from '../../sessions/live-session.ts'
import { withWarnings } from '../fetch/loaded-page.ts'
import { closeDialogs } from './close-dialogs.ts'
import { capturePage, type RenderedPage } from './capture-page.ts'
import { evaluateText } from './evaluate.ts'
import { watchNavigation, type MainResponse } from './navigate.ts'
import { performActions, type ActionOutput } from './perform-actions.ts'
import { attachToTab, type CaptureScreenshot, type Tab } from './tab.ts'

/** A page of a session to read. */
export interface SessionPageTask {
  readonly session: LiveSession
  readonly request: SessionScrapeRequest
  readonly signal: AbortSignal
}

/**
 * Reads a page of a session in its current state, next to the clients of the session. Without
 * actions, nothing in the page changes. Throws TARGET_NOT_FOUND, SESSION_ENDED, SCRAPE_*,
 * HANDOFF_OPEN for actions on a page that a human has, or the signal's reason.
 */
export async function readSessionPage({ session, request, signal }: SessionPageTask): Promise<RenderedPage> {
  const { router } = session.browser
  const target = request.targetId === undefined ? await frontPage(session) : await findTarget(session, request.targetId)
  assertMayAct(session, target, request)
  const frameDomains = frameDomainsOf(request)
  const captureScreenshot = captureScreenshotOf(session, target)
  const ending = mergeSignals(signal, session.ended)
  try {
    using tab = await attachToTab(router, target.id, { signal: ending, frameDomains, captureScreenshot })
    try {
      return await read(tab, request, async () => hasDialogOfClient(session, target))
    } catch (error) {
      // An aborted wait rejects with another error: report the abort reason instead.
      throw tab.signal.aborted && !isBowlineError(error) ? tab.signal.reason : error
    } finally {
      await tab.detach()
    }
  } catch (error) {
    throw explain(error, { session, target, signal })
  }
}

/**
 * Returns the command for screenshots of a page whose device a client emulates. Chromium resizes
 * the page for a screenshot, and then restores the emulation of the CDP session that took it.
 * Undefined without emulation.
 */
function captureScreenshotOf(
  { browser: { router }, focus }: LiveSession,
  { id }: DiscoveredTarget,
): CaptureScreenshot | undefined {
  const cdpSessionId = focus.emulatingSessionOf(id)
  if (cdpSessionId === undefined) return undefined
  return async (params) => router.callInClientSession('Page.captureScreenshot', params, cdpSessionId)
}

/** Time for the event of a dialog to arrive in the CDP sessions of the clients, in milliseconds. */
const dialogEventMs = 100

/** Whether a client was told of the dialog that has just opened, and therefore responds to it. */
async function hasDialogOfClient({ focus }: LiveSession, { id }: DiscoveredTarget): Promise<boolean> {
  await sleep(dialogEventMs)
  return focus.dialogOf(id) !== undefined
}

type Task = Pick<SessionPageTask, 'session' | 'signal'> & { readonly target: DiscoveredTarget }

/** Turns an error into one that describes the state of the session. */
function explain(error: unknown, { session, target, signal }: Task): unknown {
  if (session.ended.aborted) return sessionEnded(String(session.ended.reason))
  if (error === signal.reason && session.focus.dialogOf(target.id) !== undefined) {
    return new BowlineError('SCRAPE_TIMEOUT', 'a JavaScript dialog is open on it', {
      hint: 'Accept or dismiss the dialog in a client or the live view, and scrape again.',
      cause: error,
    })
  }
  if (error instanceof OversizedResult) {
    return new BowlineError('SCRAPE_SITE_ERROR', `The page is too large: ${error.message}`, { cause: error })
  }
  if (!isBowlineError(error) || error.code !== 'CDP_FAILED') return error
  return new BowlineError('SCRAPE_SITE_ERROR', 'The page navigated while it was read', {
    hint: 'Scrape it again when it has loaded.',
    cause: error,
  })
}

function assertMayAct(
  { handoffs }: LiveSession,
  { id }: DiscoveredTarget,
  { actions = [] }: SessionScrapeRequest,
): void {
  const handoff = handoffs.of(id)
  if (actions.length === 0 || handoff === undefined) return
  throw new BowlineError('HANDOFF_OPEN', `Actions need the page, which is handed off to a human (${handoff.id})`)
}

/** Events of the network are needed only to wait after actions. */
function frameDomainsOf({ actions = [] }: SessionScrapeRequest): readonly ('DOM' | 'Network')[] {
  return actions.length === 0 ? ['DOM'] : ['DOM', 'Network']
}

async function read(
  tab: Tab,
  request: SessionScrapeRequest,
  hasDialogOfClient: () => Promise<boolean>,
): Promise<RenderedPage> {
  await tab.call('DOM.enable')
  if (request.waitFor > 0) await sleep(request.waitFor, tab.signal)
  const { actions: steps = [] } = request
  const actions = steps.length === 0 ? undefined : await perform(tab, steps, hasDialogOfClient)
  const response = await describeResponse(tab)
  const page = await capturePage(tab, request, { response, source: undefined, actions })
  return withWarnings(page, [...tab.warnings])
}

async function perform(
  tab: Tab,
  actions: NonNullable<SessionScrapeRequest['actions']>,
  hasDialogOfClient: () => Promise<boolean>,
): Promise<ActionOutput> {
  const watch = watchNavigation(tab, { isLoaded: true })
  closeDialogs(tab, hasDialogOfClient)
  await Promise.all([tab.call('Page.enable'), tab.call('Network.enable')])
  return performActions(tab, watch, actions)
}

/** Returns the response that the page was loaded with, as the page reports it. */
async function describeResponse(tab: Tab): Promise<MainResponse> {
  const text = await evaluateText(tab, readResponse)
  const [url, contentType, status] = JSON.parse(text ?? '[]') as readonly unknown[]
  return {
    url: String(url),
    contentType: typeof contentType === 'string' ? contentType : undefined,
    statusCode: typeof status === 'number' && status >= 100 ? status : 200,
    retryAfter: undefined,
  }
}

/** Runs in the page. */
const readResponse = `() => JSON.stringify([
  location.href,
  document.contentType,
  performance.getEntriesByType('navigation')[0]?.responseStatus,
])`
