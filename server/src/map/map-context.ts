import type { FetchedStream } from './fetch-stream.ts'
import type { LinkCollection } from './link-collection.ts'
import type { Robots } from './robots.ts'
import type { Site } from './site.ts'

/** State of one map: its options, the links found, and how to fetch more. */
export interface MapContext {
  readonly site: Site
  readonly links: LinkCollection
  readonly robots: Robots
  /**
   * Fetches a URL, with its body truncated at `maxBytes`. Rejects like `fetchStream`, and when
   * exploring has ended. A sentence about the omitted rest is passed to `addOmission`, by default
   * `addWarning`.
   */
  readonly open: (url: URL, maxBytes: number, addOmission?: (what: string) => void) => Promise<FetchedStream>
  /** Adds a sentence about omitted data to the warning. */
  readonly addWarning: (what: string) => void
  /** Aborts when exploring ends: the call has ended, or its time is up. */
  readonly signal: AbortSignal
}
