import type { ScrapeRequest } from 'bowline/contract/scrape'
import type { SessionScrapeRequest } from 'bowline/contract/session-scrape'
import type { UploadedFile } from './load/document-reader.ts'
import type { MayFollow } from '../kit/may-follow.ts'

/** A page to scrape, and its owner. */
export interface ScrapeCall {
  readonly request: ScrapeRequest
  /** URL as the caller sent it, for `metadata.sourceURL`. Default: that of the request. */
  readonly sourceUrl?: string | undefined
  readonly teamId: string
  readonly apiKeyId: string
  /** URL of this server as the client sees it, without trailing slash. */
  readonly baseUrl: string
  /** Whether a redirect, also one by a script, may lead to a URL. Default: to all. */
  readonly mayFollow?: MayFollow | undefined
  /** Throws if an HTTP redirect must not be followed. Called before its request. */
  readonly checkRedirect?: ((to: URL) => Promise<void>) | undefined
  /** Aborting stops the scrape. */
  readonly signal: AbortSignal
  /** Id of the scrape. Default: a new one. */
  readonly id?: string | undefined
  /** Milliseconds it has waited for a concurrency slot of the team. Default: 0. */
  readonly waitedMs?: number | undefined
}

/** A file of a client to parse. The URL of the request has no effect. */
export interface FileScrapeCall extends Omit<ScrapeCall, 'sourceUrl' | 'id'> {
  readonly file: UploadedFile
}

/** A page of a session to scrape. */
export interface SessionScrapeCall extends Omit<ScrapeCall, 'request' | 'sourceUrl' | 'id'> {
  readonly request: SessionScrapeRequest
}
