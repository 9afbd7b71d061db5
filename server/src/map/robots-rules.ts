import type { Dispatcher } from 'undici'
import { decodeText } from './decode.ts'
import { fetchStream } from './fetch-stream.ts'
import { robotsName } from './request-headers.ts'
import { maxRobotsBytes, parseRobots, type Robots } from './robots.ts'

const keptMs = 3_600_000
const keptSites = 1000
const transferMs = 10_000

/** What the robots.txt files of sites allow, each read once an hour. */
export class RobotsRules {
  readonly #dispatcher: Dispatcher
  readonly #sites = new Map<string, { readonly rules: Promise<Robots>; readonly untilMs: number }>()

  constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher
  }

  /** Whether a page may be scraped. A site whose rules cannot be read has none. */
  async allows(address: string): Promise<boolean> {
    const url = new URL(address)
    const known = this.#sites.get(url.origin)
    if (known !== undefined && known.untilMs > performance.now()) return (await known.rules).allows(url)
    if (this.#sites.size >= keptSites) this.#sites.clear()
    const rules = this.#read(url.origin)
    this.#sites.set(url.origin, { rules, untilMs: performance.now() + keptMs })
    return (await rules).allows(url)
  }

  async #read(origin: string): Promise<Robots> {
    let text = ''
    try {
      await using answer = await fetchStream(new URL('/robots.txt', origin), {
        dispatcher: this.#dispatcher,
        headersFor: () => ({ 'user-agent': `Mozilla/5.0 (compatible; ${robotsName})` }),
        maxBytes: maxRobotsBytes,
        timeoutMs: transferMs,
      })
      if (answer.status < 400) for await (const piece of decodeText(answer.chunks)) text += piece
    } catch {
      // A site that gives no rules has none.
    }
    return parseRobots(text, robotsName)
  }
}
