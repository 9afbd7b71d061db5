import type { Browser } from '../browsers/launch.ts'
import type { CdpEvent } from '../cdp/protocol.ts'
import { attachToBrowser, autoAttach, type AttachedTarget } from '../cdp/targets.ts'
import { readConsoleLine } from '../cdp/read-console-line.ts'
import { copyStart } from '../kit/copy-start.ts'
import { RequestLog } from './request-log.ts'
import type { InspectedMessage, InspectedRequest } from './server-message.ts'
import type { Viewer } from './viewer.ts'

/** Dependencies of an inspection. */
export interface InspectionDeps {
  readonly browser: Pick<Browser, 'router'>
  /** Masks secrets that were typed by their names. */
  readonly mask: { readonly applyToJson: <Value>(value: Value) => Value }
  readonly onError: (error: unknown) => void
}

/** Number of messages, and of requests, that are kept for viewers who join. */
const maxKept = 500

const maxTextLength = 2000

/** Time between two updates of the viewers, in milliseconds. A page can log without a pause. */
const updateIntervalMs = 250

/** The console messages and requests of a browser while viewers inspect it. */
export class Inspection implements AsyncDisposable {
  readonly #deps: InspectionDeps
  readonly #viewers = new Set<Viewer>()
  /** Viewers that did not read, and receive all that is kept once they do. */
  readonly #behind = new Set<Viewer>()
  readonly #requests: RequestLog
  readonly #resources = new AsyncDisposableStack()
  #messages: InspectedMessage[] = []
  #newMessages: InspectedMessage[] = []
  #changedRequests = new Set<InspectedRequest>()
  #lastNumber = 0
  #updateTimer: NodeJS.Timeout | undefined

  private constructor(deps: InspectionDeps) {
    this.#deps = deps
    this.#requests = new RequestLog({
      maxKept,
      mask: (request) => deps.mask.applyToJson(request),
      onChange: (request) => {
        this.#changedRequests.add(request)
        this.#updateSoon()
      },
    })
  }

  /** Attaches to all pages of a browser. Messages that they still have are received at once. */
  static async open(deps: InspectionDeps): Promise<Inspection> {
    const { router } = deps.browser
    const inspection = new Inspection(deps)
    await using undo = new AsyncDisposableStack()
    const browserSession = undo.use(await attachToBrowser(router))
    undo.use(
      autoAttach(router, browserSession, {
        filter: [{ type: 'page' }],
        childFilter: [{ type: 'iframe' }, { type: 'worker' }],
        onAttached: enableEvents,
        onDetached: () => undefined,
        onEvent: (target, event) => inspection.#receive(target, event),
      }),
    )
    inspection.#resources.use(undo.move())
    return inspection
  }

  /** Adds a viewer and sends it what is kept. */
  join(viewer: Viewer): void {
    this.#viewers.add(viewer)
    this.#behind.add(viewer)
    this.#updateSoon()
  }

  leave(viewer: Viewer): void {
    this.#viewers.delete(viewer)
    this.#behind.delete(viewer)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#updateTimer)
    this.#viewers.clear()
    this.#behind.clear()
    await this.#resources.disposeAsync()
  }

  #receive(target: AttachedTarget, event: CdpEvent): void {
    try {
      if (event.method.startsWith('Network.')) return this.#requests.receive(target, event)
      const line = readConsoleLine(event)
      if (line === undefined) return
      const { time, level, source, text, url = '', line: lineNumber } = this.#deps.mask.applyToJson(line)
      this.#lastNumber += 1
      this.#newMessages.push({
        number: this.#lastNumber,
        atMs: Date.parse(time),
        level,
        source,
        text: copyStart(text, maxTextLength),
        url: copyStart(url, maxTextLength),
        line: lineNumber,
      })
      if (this.#newMessages.length > maxKept) this.#newMessages.shift()
      this.#updateSoon()
    } catch (error) {
      // Uncaught, an error about a malformed event would end the server.
      this.#deps.onError(error)
    }
  }

  #updateSoon(): void {
    this.#updateTimer ??= setTimeout(this.#update, updateIntervalMs).unref()
  }

  readonly #update = (): void => {
    this.#updateTimer = undefined
    try {
      this.#sendUpdates()
    } catch (error) {
      this.#deps.onError(error)
    }
    if (this.#behind.size > 0) this.#updateSoon()
  }

  #sendUpdates(): void {
    const messages = this.#newMessages
    const requests = [...this.#changedRequests].slice(-maxKept)
    this.#newMessages = []
    this.#changedRequests = new Set()
    // Messages from before the inspection began arrive grouped by page and source.
    this.#messages = [...this.#messages, ...messages].toSorted((one, other) => one.atMs - other.atMs).slice(-maxKept)
    for (const viewer of this.#viewers) {
      if (viewer.isUnread) this.#behind.add(viewer)
      else if (this.#behind.delete(viewer)) {
        viewer.notify({
          type: 'inspected',
          isSnapshot: true,
          messages: this.#messages,
          requests: this.#requests.list(),
        })
      } else if (messages.length + requests.length > 0) {
        viewer.notify({ type: 'inspected', isSnapshot: false, messages, requests })
      }
    }
  }
}

async function enableEvents(target: AttachedTarget): Promise<void> {
  // Bodies are not read.
  const network = { maxTotalBufferSize: 1, maxResourceBufferSize: 1 }
  const entries = target.type === 'page' ? target.call('Log.enable') : undefined
  await Promise.allSettled([target.call('Runtime.enable'), entries, target.call('Network.enable', network)])
}
