import { BowlineError } from '../../kit/errors.ts'
import { loadChromium } from '../load-packages.ts'
import { connectTabs, type ConnectedTabs, type DrivenBrowser, type OpenBrowser } from './driven-browser.ts'
import { HumanHelp } from './human-help.ts'

/**
 * A session that its owner has created and ends. It is connected at the first use. A lost
 * connection is made again.
 */
export class AttachedBrowser implements DrivenBrowser, AsyncDisposable {
  readonly #cdpUrl: string
  #connected: ConnectedTabs | undefined
  #turn: Promise<unknown> = Promise.resolve()
  readonly #disposed = new AbortController()

  constructor(cdpUrl: string) {
    this.#cdpUrl = cdpUrl
  }

  async use<Result>(work: (browser: OpenBrowser) => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(async () => work(await this.#open()))
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  async end(): Promise<undefined> {
    return undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed.abort(new BowlineError('SESSION_ENDED', 'The browser tools have disconnected'))
    await this.#connected?.browser.close()
  }

  async #open(): Promise<OpenBrowser> {
    const { signal } = this.#disposed
    signal.throwIfAborted()
    let connected = this.#connected
    if (connected === undefined || !(await connected.isResponding())) {
      void connected?.browser.close().catch(() => undefined)
      connected = await connectTabs(this.#cdpUrl, await loadChromium(), { signal })
      this.#connected = connected
      if (signal.aborted) await connected.browser.close()
      signal.throwIfAborted()
    }
    return { ...connected, human: new HumanHelp({ handoff: refuseHandoff }), interactiveLiveViewUrl: '' }
  }
}

async function refuseHandoff(): Promise<never> {
  throw new BowlineError('NOT_IMPLEMENTED', 'A human cannot be asked here')
}
