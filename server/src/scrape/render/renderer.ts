import { setTimeout as sleep } from 'node:timers/promises'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import type { Profile } from 'bowline/contract/session-options'
import { rethrowAbort } from 'bowline/kit/abort'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import type { LaunchOptions } from '../../browsers/launch.ts'
import type { BrowserPool } from '../../browsers/pool.ts'
import type { CdpRouter } from '../../cdp/router.ts'
import type { Egress } from '../../egress/egress.ts'
import { hostPortOf } from '../../egress/host-port.ts'
import type { Profiles } from '../../profiles/profiles.ts'
import { launchWithProfile, saveProfile } from '../../sessions/profile-browser.ts'
import type { MetricRecorder } from '../../metrics/metrics.ts'
import { cancelledOrError, timed } from '../../metrics/timed.ts'
import { toFetchError } from '../fetch/fetch-error.ts'
import { withWarnings } from '../fetch/loaded-page.ts'
import type { PageLocale } from '../fetch/page-locale.ts'
import type { AdLists } from './ad-lists.ts'
import { createConsentScript } from './dismiss-consent.ts'
import type { RenderedPage } from './capture-page.ts'
import { renderPage, unreachableError, type RenderOutcome, type RenderTask } from './render-page.ts'
import { ScrapeBrowsers, type BrowserSlot, type UpstreamName } from './scrape-browsers.ts'
import type { MayFollow } from '../../kit/may-follow.ts'

/** Dependencies of `Renderer`. */
export interface RendererDeps {
  readonly browsers: BrowserPool
  readonly egress: Pick<Egress, 'openProxyEndpoint' | 'connector'>
  readonly profiles: Profiles
  /** Maximum number of open pages, in all browsers. */
  readonly maxPages: number
  readonly chromeMajor: string
  /** Block lists in addition to the built-in one. Default: none. */
  readonly adLists?: AdLists | undefined
  /** Default: nothing is recorded. */
  readonly metrics?: MetricRecorder | undefined
}

/** A page to render. */
export interface RenderCall {
  readonly request: ScrapeRequest
  readonly pageLocale: PageLocale
  readonly upstream: UpstreamName
  readonly teamId: string
  /** Whether the page may lead to another URL. Default: to all. */
  readonly mayFollow?: MayFollow | undefined
  readonly signal: AbortSignal
}

type Download = Extract<RenderOutcome, { readonly kind: 'download' }>

type Failure = Extract<RenderOutcome, { readonly kind: 'refused' | 'unreachable' }>

/** Time limit for closing a browser context, in milliseconds. Then the browser is killed. */
const closeContextMs = 3000

/** Renders pages, each in its own browser context, or in its own browser if it has a profile. */
export class Renderer implements AsyncDisposable {
  readonly #deps: RendererDeps
  readonly #shared: ScrapeBrowsers
  readonly #consentScript = createConsentScript()
  readonly #cleanups = new Set<Promise<void>>()
  /** Ids of the browsers with a profile, each for one page. */
  readonly #withProfiles = new Set<string>()

  constructor(deps: RendererDeps) {
    this.#deps = deps
    this.#shared = new ScrapeBrowsers(deps)
  }

  /**
   * Renders a page. If the URL is a file, returns only the cookies to fetch it with.
   * Throws SCRAPE_*, EGRESS_REFUSED, PROFILE_LOCKED, or the signal's reason.
   */
  async render(call: RenderCall): Promise<RenderedPage | Omit<Download, 'kind'>> {
    const { profile } = call.request
    const outcome = profile === undefined ? await this.#withRetries(call) : await this.#withProfile(call, profile)
    if (outcome.kind === 'page') return outcome.page
    if (outcome.kind === 'download') return { cookies: outcome.cookies, warning: outcome.warning }
    throw await this.#failureOf(call, outcome)
  }

  /** Pages that are open, and callers that wait to open one. */
  openPages(): { readonly open: number; readonly waiting: number } {
    return this.#shared.openPages()
  }

  /** Ids of the browsers that render pages. */
  browserIds(): readonly string[] {
    return [...this.#shared.browserIds(), ...this.#withProfiles]
  }

  /** Counts the browser contexts of pages that were captured. */
  async leakedContexts(): Promise<number> {
    return this.#shared.leakedContexts()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#shared[Symbol.asyncDispose]()
    await Promise.all(this.#cleanups)
  }

  /** Retries once if the browser exits, since another page may have crashed it. */
  async #withRetries(call: RenderCall): Promise<RenderOutcome> {
    try {
      return await this.#inContext(call)
    } catch (error) {
      rethrowAbort(call.signal, error)
      if (!isBowlineError(error) || error.code !== 'CDP_FAILED') throw error
      return this.#inContext(call)
    }
  }

  async #inContext(call: RenderCall): Promise<RenderOutcome> {
    await using undo = new AsyncDisposableStack()
    const slot = undo.use(await this.#shared.acquire(call.upstream, call))
    const { router } = slot.browser
    const { browserContextId } = await router.call('Target.createBrowserContext', { disposeOnDetach: true })
    undo.move()
    try {
      // Chromium handles commands in order, so this applies before the page opens.
      const denied = router.call('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId })
      const [outcome] = await Promise.all([this.#renderPage(this.#task(call, router, browserContextId)), denied])
      return outcome
    } finally {
      // Close the context in the background.
      const cleanup = closeContext(slot, browserContextId)
      this.#cleanups.add(cleanup)
      void cleanup.finally(() => this.#cleanups.delete(cleanup))
    }
  }

  async #withProfile(call: RenderCall, { name, saveChanges }: Profile): Promise<RenderOutcome> {
    const { browsers, egress, profiles } = this.#deps
    const isWritable = saveChanges !== false
    using _ = await this.#shared.acquirePage(call)
    await using profile = await profiles.acquire({ teamId: call.teamId, name, isWritable, sessionId: undefined })
    const openProxyEndpoint: LaunchOptions['openProxyEndpoint'] = async (options) =>
      egress.openProxyEndpoint({ ...options, upstream: call.upstream })
    const launch: BrowserPool['launch'] = async (options, signal) =>
      browsers.launch({ ...options, openProxyEndpoint }, signal)
    const browser = await launchWithProfile({ ...browsers, launch }, profile, {}, call.signal)
    this.#withProfiles.add(browser.id)
    try {
      const outcome = await this.#renderPage(this.#task(call, browser.router, undefined))
      if (isWritable) await saveProfile(profile, browser, undefined)
      if (isWritable || profile.loadedVersion !== undefined) return outcome
      // If the name is misspelled, the page may be one that asks to sign in.
      const warning = `The profile \`${name}\` has no saved version: the page was loaded without it.`
      if (outcome.kind === 'page') return { kind: 'page', page: withWarnings(outcome.page, [warning]) }
      return outcome.kind === 'download' ? { ...outcome, warning } : outcome
    } finally {
      await browser.kill()
      this.#withProfiles.delete(browser.id)
    }
  }

  async #renderPage(task: RenderTask): Promise<RenderOutcome> {
    const timing = { name: 'bowline_render_seconds', failureOf: cancelledOrError(task.signal) } as const
    return timed(this.#deps.metrics, timing, async () => renderPage(task))
  }

  #task(
    { request, pageLocale, mayFollow, signal }: RenderCall,
    router: CdpRouter,
    browserContextId: string | undefined,
  ): RenderTask {
    const { chromeMajor, adLists } = this.#deps
    const consentScript = this.#consentScript
    return { request, pageLocale, mayFollow, signal, router, browserContextId, chromeMajor, adLists, consentScript }
  }

  /**
   * Connects again over the same upstream to find out why the page could not be reached. Only the
   * URL of the request may be connected to after a refusal.
   */
  async #failureOf({ request, upstream, signal }: RenderCall, { kind, url: failedUrl }: Failure): Promise<unknown> {
    const url = kind === 'refused' ? request.url : failedUrl
    try {
      const socket = await this.#deps.egress.connector.connect(hostPortOf(new URL(url)), upstream, { signal })
      socket.destroy()
      // The URL itself is allowed, so it was a redirect that was refused.
      return kind === 'refused'
        ? new BowlineError('EGRESS_REFUSED', `${new URL(url).host} redirects to a URL that is not allowed`)
        : unreachableError(url)
    } catch (error) {
      return toFetchError(error, url)
    }
  }
}

/** Closes a browser context and releases its slot. Never rejects. */
async function closeContext(slot: BrowserSlot, browserContextId: string): Promise<void> {
  const closed = slot.browser.router.call('Target.disposeBrowserContext', { browserContextId }).then(
    () => true,
    () => true,
  )
  if (!(await Promise.race([closed, sleep(closeContextMs, false, { ref: false })]))) slot.discard()
  await slot[Symbol.asyncDispose]()
}
