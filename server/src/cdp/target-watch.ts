import { setTimeout as sleep } from 'node:timers/promises'
import type { CdpRouter } from './router.ts'

/** Whether a target shows a page of the web, a page of the browser's own, or nothing yet. */
export type TargetKind = 'web' | 'internal' | 'unknown'

/** Knows which targets of a browser are not web pages. */
export interface TargetWatch {
  readonly kindOf: (targetId: string) => TargetKind
  /** Calls with every target that turns out to be a web page or an internal one after its kind was unknown or web. */
  readonly onChange: (listener: (targetId: string, kind: 'web' | 'internal') => void) => () => void
}

/** The part of `Target.TargetInfo` that decides. */
export interface TargetAddress {
  readonly targetId: string
  readonly type: string
  readonly url: string
  /** The target that a frame belongs to, and the frame in it that embeds it. */
  readonly parentId?: string
  readonly parentFrameId?: string
}

/** Options of `watchTargetKinds`. */
export interface TargetWatchOptions {
  /** Whether pages of the browser may stand in frames, as the PDF viewer of full Chromium does. */
  readonly hasInternalFrames: boolean
  /** Milliseconds that the page around a frame has to say what it is: 10 s by default. */
  readonly answerMs?: number | undefined
}

/** A page that computes, or stands in a debugger, does not answer. */
const defaultAnswerMs = 10_000

/**
 * Watches the targets of a browser and closes every tab that shows a page of the browser's own: such pages can read files
 * and make requests past the egress proxy. Resolves when the targets that exist already are known.
 */
export async function watchTargetKinds(router: CdpRouter, options: TargetWatchOptions): Promise<TargetWatch> {
  const watch = new KindWatch(router, options)
  router.onEvent(({ method, params, sessionId }) => {
    if (sessionId === undefined && method?.startsWith('Target.target') === true) watch.follow(method, params ?? {})
  })
  // The tab target of a page has the same address as the page itself.
  const filter = [{ type: 'browser', exclude: true }, { type: 'tab', exclude: true }, {}]
  await router.call('Target.setDiscoverTargets', { discover: true, filter })
  return watch
}

/**
 * Schemes of pages that have more rights than a web page. `chrome-error:` is not among them: it is what a web page that
 * cannot be loaded shows, in a process without rights.
 */
const internalScheme =
  /^(?:blob:|filesystem:)?(?:(?:chrome|devtools|brave|edge)(?!-error:)(?:-[a-z]+)*|file|view-source|isolated-app|content|externalfile):/i

/** Whether an address is a page of the browser's own or a file. */
export function isInternalUrl(url: string): boolean {
  return internalScheme.test(url) || (/^about:/i.test(url) && !/^about:(?:blank|srcdoc)(?:[?#]|$)/i.test(url))
}

class KindWatch implements TargetWatch {
  readonly #router: CdpRouter
  readonly #options: TargetWatchOptions
  readonly #kinds = new Map<string, 'internal' | 'unknown'>()
  readonly #listeners = new Set<(targetId: string, kind: 'web' | 'internal') => void>()

  constructor(router: CdpRouter, options: TargetWatchOptions) {
    this.#router = router
    this.#options = options
  }

  readonly kindOf = (targetId: string): TargetKind => this.#kinds.get(targetId) ?? 'web'

  readonly onChange: TargetWatch['onChange'] = (listener) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Takes an event of the Target domain. */
  follow(method: string, params: Readonly<Record<string, unknown>>): void {
    if (method === 'Target.targetDestroyed') this.#kinds.delete(String(params['targetId']))
    else if (params['targetInfo'] !== undefined) this.#note(params['targetInfo'] as TargetAddress)
  }

  #note(target: TargetAddress): void {
    const { targetId, type, url } = target
    if (isInternalUrl(url)) this.#decide(target, 'internal')
    else if (type !== 'iframe' || url !== '') this.#decide(target, 'web')
    // A frame in a process of its own is announced without an address, and held up before it has one if a client likes.
    else if (this.#options.hasInternalFrames && !this.#kinds.has(targetId)) {
      this.#kinds.set(targetId, 'unknown')
      // Whoever waits for its commands learns that they are refused.
      const late = sleep(this.#options.answerMs ?? defaultAnswerMs, true, { ref: false })
      void Promise.race([isInPdf(this.#router, target), late]).then((isViewer) => {
        if (this.#kinds.get(targetId) === 'unknown') this.#decide(target, isViewer ? 'internal' : 'web')
      })
    }
  }

  #decide({ targetId, type }: TargetAddress, kind: 'web' | 'internal'): void {
    const former = this.#kinds.get(targetId)
    // Once internal, always internal: what a client left behind in it would run when it comes back.
    if (former === 'internal' || (former === undefined && kind === 'web')) return
    if (kind === 'web') this.#kinds.delete(targetId)
    else this.#kinds.set(targetId, kind)
    for (const listener of this.#listeners) listener(targetId, kind)
    if (kind === 'internal' && type === 'page') this.#close(targetId)
  }

  #close(targetId: string): void {
    // It may have closed itself by now.
    this.#router.call('Target.closeTarget', { targetId }).catch(() => undefined)
  }
}

interface FrameTree {
  readonly frame: { readonly id: string; readonly mimeType: string }
  readonly childFrames?: readonly FrameTree[]
}

/**
 * Whether a frame is embedded by a PDF: then it is the viewer, an extension that is a part of the browser. Asked of the
 * page around it, because the frame itself may be held up. True when nobody can tell. Never rejects.
 */
async function isInPdf(router: CdpRouter, { parentId, parentFrameId }: TargetAddress): Promise<boolean> {
  try {
    const attached = await router.call('Target.attachToTarget', { targetId: parentId ?? parentFrameId, flatten: true })
    const sessionId = String(attached['sessionId'])
    const { frameTree } = await router.call('Page.getFrameTree', {}, sessionId)
    void router.call('Target.detachFromTarget', { sessionId }).catch(() => undefined)
    const embedder = findFrame(frameTree as FrameTree, parentFrameId)
    return embedder === undefined || embedder.mimeType.endsWith('/pdf')
  } catch {
    return true
  }
}

function findFrame({ frame, childFrames = [] }: FrameTree, id: string | undefined): FrameTree['frame'] | undefined {
  if (frame.id === id) return frame
  for (const child of childFrames) {
    const found = findFrame(child, id)
    if (found !== undefined) return found
  }
  return undefined
}
