import type { FetchedStream } from './fetch-stream.ts'
import type { LinkCollection } from './link-collection.ts'
import type { Robots } from './robots.ts'
import type { Site } from './site.ts'

/** One map in the making: what is looked for, what was found, and the way to fetch more. */
export interface MapContext {
  readonly site: Site
  readonly links: LinkCollection
  readonly robots: Robots
  /** Gets an address, its body cut at `maxBytes`. Rejects like `fetchStream`, and when looking is over. */
  readonly open: (url: URL, maxBytes: number) => Promise<FetchedStream>
  /** Notes what was left out, as a sentence for the warning. */
  readonly noteCut: (what: string) => void
  /** Aborts when looking is over: the call has ended, or its time is spent. */
  readonly signal: AbortSignal
}
