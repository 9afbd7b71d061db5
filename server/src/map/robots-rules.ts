import type { Dispatcher } from 'undici'
import { fetchStream } from './fetch-stream.ts'
import type { OpenOptions } from './map-context.ts'
import { robotsAgent } from './request-headers.ts'
import { readRobots, tooLong } from './read-robots.ts'
import type { Robots } from './robots.ts'

const cacheMs = 3_600_000
const maxCachedSites = 1000

/** Whether a robots.txt allows a page, and which of its rules were not read. */
export interface RobotsDecision {
  readonly isAllowed: boolean
  /** Sentences about ignored rules. */
  readonly warnings: readonly string[]
}

/** Rules of the robots.txt files of sites, each cached for an hour. */
export class RobotsRules {
  readonly #dispatcher: Dispatcher
  readonly #sites = new Map<string, { readonly rules: Promise<Robots>; readonly untilMs: number }>()

  constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher
  }

  /** Checks whether a page may be scraped. A site whose robots.txt cannot be read allows all. */
  async check(address: string): Promise<RobotsDecision> {
    const url = new URL(address)
    const { allows, warnings } = await this.#rulesOf(url)
    return { isAllowed: allows(url), warnings }
  }

  async #rulesOf(url: URL): Promise<Robots> {
    const known = this.#sites.get(url.origin)
    if (known !== undefined && known.untilMs > performance.now()) return known.rules
    if (this.#sites.size >= maxCachedSites) this.#sites.clear()
    const rules = this.#read(url.origin)
    this.#sites.set(url.origin, { rules, untilMs: performance.now() + cacheMs })
    return rules
  }

  async #read(origin: string): Promise<Robots> {
    const open = async (
      url: URL,
      maxBytes: number,
      { addOmission, timeoutMs }: Required<Omit<OpenOptions, 'checkRedirect'>>,
    ) =>
      fetchStream(url, {
        dispatcher: this.#dispatcher,
        headersFor: () => ({ 'user-agent': `Mozilla/5.0 (compatible; ${robotsAgent})` }),
        maxBytes,
        onTruncated: () => addOmission(tooLong(url, maxBytes)),
        timeoutMs,
      })
    return readRobots(open, origin)
  }
}
