import { setTimeout as sleep } from 'node:timers/promises'
import type { CdpEvent, Protocol } from './protocol.ts'
import type { CdpRouter } from './router.ts'
import { attachToTarget } from './targets.ts'

/** Kind of page a target shows: a web page, an internal page of the browser, or not known yet. */
export type TargetKind = 'web' | 'internal' | 'unknown'

/** Kinds of the targets of a browser. */
export interface TargetKinds {
  readonly kindOf: (targetId: string) => TargetKind
  /** Whether a URL is an internal page, and not a page of an extension of the session. */
  readonly isInternalUrl: (url: string) => boolean
  /**
   * Calls the listener when a target is identified as internal, or an unknown one as a web page.
   */
  readonly onChange: (listener: (targetId: string, kind: 'web' | 'internal') => void) => () => void
}

/** Options of `guardInternalPages`. */
export interface GuardInternalPagesOptions {
  /** Whether internal pages can appear in frames, as the PDF viewer of full Chromium does. */
  readonly hasInternalFrames: boolean
  /** Ids of the extensions of the session, whose targets count as web pages. Default: none. */
  readonly extensionIds?: readonly string[] | undefined
  /** Time to wait for the page that embeds a frame, in milliseconds. Default: 10 s. */
  readonly responseTimeoutMs?: number | undefined
}

/** A page with a busy main thread, or paused in a debugger, does not respond. */
const defaultResponseTimeoutMs = 10_000

/**
 * Tracks the targets of a browser and closes every tab that shows an internal page: such pages can
 * read files and make requests that bypass the egress proxy. Resolves when the existing targets are
 * known.
 */
export async function guardInternalPages(router: CdpRouter, options: GuardInternalPagesOptions): Promise<TargetKinds> {
  const watch = new InternalPageGuard(router, options)
  router.onEvent((event) => {
    if (event.sessionId === undefined) watch.follow(event)
  })
  // The tab target of a page has the same URL as the page itself.
  const filter = [{ type: 'browser', exclude: true }, { type: 'tab', exclude: true }, {}]
  await router.call('Target.setDiscoverTargets', { discover: true, filter })
  return watch
}

/**
 * URL schemes of pages with more rights than a web page. Not `chrome-error:`, which Chromium shows
 * for a web page that failed to load, in a process without such rights.
 */
const internalScheme =
  /^(?:blob:|filesystem:)?(?:(?:chrome|devtools|brave|edge)(?!-error:)(?:-[a-z]+)*|file|view-source|isolated-app|content|externalfile):/i

/** Returns the id of the extension that a URL belongs to. Undefined for other URLs. */
export function extensionIdOf(url: string): string | undefined {
  return /^(?:blob:|filesystem:)?chrome-extension:\/\/([a-p]{32})(?:[/?#]|$)/.exec(url)?.[1]
}

/**
 * Whether a URL is an internal page of the browser or a file. `extensionIds`: extensions of the
 * session, whose pages are not internal.
 */
export function isInternalUrl(url: string, extensionIds: readonly string[] = []): boolean {
  if (extensionIds.includes(extensionIdOf(url) ?? '')) return false
  return internalScheme.test(url) || (/^about:/i.test(url) && !/^about:(?:blank|srcdoc)(?:[?#]|$)/i.test(url))
}

class InternalPageGuard implements TargetKinds {
  readonly #router: CdpRouter
  readonly #options: GuardInternalPagesOptions
  readonly #kinds = new Map<string, 'internal' | 'unknown'>()
  /** Kinds of out-of-process frames by id. Frames of internal pages count as internal. */
  readonly #frames = new Map<string, Protocol.Target.TargetInfo>()
  readonly #listeners = new Set<(targetId: string, kind: 'web' | 'internal') => void>()

  constructor(router: CdpRouter, options: GuardInternalPagesOptions) {
    this.#router = router
    this.#options = options
  }

  readonly isInternalUrl = (url: string): boolean => isInternalUrl(url, this.#options.extensionIds)

  readonly kindOf = (targetId: string): TargetKind => this.#kinds.get(targetId) ?? 'web'

  readonly onChange: TargetKinds['onChange'] = (listener) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Handles a browser-level event. */
  follow({ method, params }: CdpEvent): void {
    if (method === 'Target.targetDestroyed') this.#forget(params.targetId)
    else if (method === 'Target.targetCreated' || method === 'Target.targetInfoChanged') this.#note(params.targetInfo)
  }

  #forget(targetId: string): void {
    this.#kinds.delete(targetId)
    this.#frames.delete(targetId)
  }

  #note(target: Protocol.Target.TargetInfo): void {
    const { targetId, type, url } = target
    if (type === 'iframe') this.#frames.set(targetId, target)
    if (this.isInternalUrl(url) || this.#isInInternalPage(target)) this.#decide(target, 'internal')
    else if (type !== 'iframe' || url !== '') this.#decide(target, 'web')
    // A frame in its own process is announced without a URL, and a client can pause it before it
    // gets one.
    else if (this.#options.hasInternalFrames && !this.#kinds.has(targetId)) {
      this.#kinds.set(targetId, 'unknown')
      // Clients whose commands wait are notified that they are refused.
      const late = sleep(this.#options.responseTimeoutMs ?? defaultResponseTimeoutMs, true, { ref: false })
      void Promise.race([isInPdf(this.#router, target), late]).then((isViewer) => {
        if (this.#kinds.get(targetId) === 'unknown') this.#decide(target, isViewer ? 'internal' : 'web')
      })
    }
  }

  /**
   * Whether an internal page embeds a frame. The PDF viewer shows the document in a frame of the
   * site, and opens the addresses that code in this frame sends it.
   */
  #isInInternalPage({ type, parentId, parentFrameId }: Protocol.Target.TargetInfo): boolean {
    return (
      type === 'iframe' && [parentId, parentFrameId].some((id) => id !== undefined && this.kindOf(id) === 'internal')
    )
  }

  #decide({ targetId, type }: Protocol.Target.TargetInfo, kind: 'web' | 'internal'): void {
    const former = this.#kinds.get(targetId)
    // Internal targets stay internal: what a client left in one would run when it navigates back.
    if (former === 'internal' || (former === undefined && kind === 'web')) return
    if (kind === 'web') this.#kinds.delete(targetId)
    else this.#kinds.set(targetId, kind)
    for (const listener of this.#listeners) listener(targetId, kind)
    if (kind === 'web') return
    if (type === 'page') this.#close(targetId)
    for (const frame of this.#frames.values()) if (this.#isInInternalPage(frame)) this.#decide(frame, 'internal')
  }

  #close(targetId: string): void {
    // The target may have closed already.
    this.#router.call('Target.closeTarget', { targetId }).catch(() => undefined)
  }
}

/**
 * Whether a frame is embedded in a PDF and therefore is the PDF viewer, an extension built into the
 * browser. Queries the embedding page, because the frame itself may be paused. True if the page
 * does not respond. Never rejects.
 */
async function isInPdf(
  router: CdpRouter,
  { parentId, parentFrameId = '' }: Protocol.Target.TargetInfo,
): Promise<boolean> {
  try {
    const page = await attachToTarget(router, parentId ?? parentFrameId)
    const { frameTree } = await page.call('Page.getFrameTree')
    void page[Symbol.asyncDispose]()
    const embedder = findFrame(frameTree, parentFrameId)
    return embedder === undefined || embedder.mimeType.endsWith('/pdf')
  } catch {
    // The page has closed or does not respond.
    return true
  }
}

function findFrame({ frame, childFrames = [] }: Protocol.Page.FrameTree, id: string): Protocol.Page.Frame | undefined {
  if (frame.id === id) return frame
  for (const child of childFrames) {
    const found = findFrame(child, id)
    if (found !== undefined) return found
  }
  return undefined
}
