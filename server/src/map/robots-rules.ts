import type { Dispatcher } from 'undici'
import { decodeText } from './decode.ts'
import { fetchStream } from './fetch-stream.ts'
import { robotsAgent } from './request-headers.ts'
import { maxRobotsBytes, parseRobots, type Robots } from './robots.ts'

const cacheMs = 3_600_000
const maxCachedSites = 1000
const transferMs = 10_000

/** Rules of the robots.txt files of sites, each cached for an hour. */
export class RobotsRules {
  readonly #dispatcher: Dispatcher
  readonly #sites = new Map<string, { readonly rules: Promise<Robots>; readonly untilMs: number }>()

  constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher
  }

  /** Returns whether a page may be scraped. A site whose robots.txt cannot be read allows all. */
  async allows(address: string): Promise<boolean> {
    const url = new URL(address)
    const known = this.#sites.get(url.origin)
    if (known !== undefined && known.untilMs > performance.now()) return (await known.rules).allows(url)
    if (this.#sites.size >= maxCachedSites) this.#sites.clear()
    const rules = this.#read(url.origin)
    this.#sites.set(url.origin, { rules, untilMs: performance.now() + cacheMs })
    return (await rules).allows(url)
  }

  async #read(origin: string): Promise<Robots> {
    let text = ''
    try {
      await using response = await fetchStream(new URL('/robots.txt', origin), {
        dispatcher: this.#dispatcher,
        headersFor: () => ({ 'user-agent': `Mozilla/5.0 (compatible; ${robotsAgent})` }),
        maxBytes: maxRobotsBytes,
        timeoutMs: transferMs,
      })
      if (response.status < 400) for await (const piece of decodeText(response.chunks)) text += piece
    } catch {
      // A site without a readable robots.txt has no rules.
    }
    return parseRobots(text, robotsAgent)
  }
}
