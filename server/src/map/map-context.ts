import type { FetchedStream } from './fetch-stream.ts'
import type { LinkCollection } from './link-collection.ts'
import type { Robots } from './robots.ts'
import type { Site } from './site.ts'

/** Options of one fetch. */
export interface OpenOptions {
  /** Receives a sentence about the omitted rest. Default: `addWarning`. */
  readonly addOmission?: (what: string) => void
  /** Maximum duration of the whole transfer in milliseconds. Default: 30000. */
  readonly timeoutMs?: number
  /** Throws if a redirect must not be followed. Default: all may. */
  readonly checkRedirect?: ((to: URL) => Promise<void>) | undefined
}

/** State of one map: its options, the links found, and how to fetch more. */
export interface MapContext {
  readonly site: Site
  readonly links: LinkCollection
  readonly robots: Robots
  /** Returns the robots.txt of an origin, which is read once. */
  readonly robotsOf: (origin: string) => Promise<Robots>
  /** Throws SCRAPE_ROBOTS_BLOCKED if the robots.txt of its site disallows a URL. */
  readonly checkRobots: (url: URL) => Promise<void>
  /**
   * Fetches a URL, with its body truncated at `maxBytes`. Rejects like `fetchStream`, and when
   * exploring has ended.
   */
  readonly open: (url: URL, maxBytes: number, options?: OpenOptions) => Promise<FetchedStream>
  /** Adds a sentence about omitted data to the warning. */
  readonly addWarning: (what: string) => void
  /** Aborts when exploring ends: the call has ended, or its time is up. */
  readonly signal: AbortSignal
}
