import { totalmem } from 'node:os'

/**
 * Memory to plan per live browser in bytes. Measured with one light page: 90 MB (shell) and 197 MB
 * (Chromium).
 */
const plannedBytes = { shell: 200e6, chromium: 400e6 } as const

/**
 * Memory to plan per page of a scrape, in addition to the browser that these pages share. Measured
 * with light pages: 18 MB each (shell).
 */
const plannedPageBytes = { shell: 40e6, chromium: 80e6 } as const

/** Memory reserved for the server itself and its warm pool. */
const reservedBytes = 600e6

/** Maximum share of the memory to plan for scrapes, which seldom use all of many pages at once. */
const maxScrapeShare = 0.25

/** Memory that sessions share with scrapes. */
export interface SharedMemory {
  /** Maximum number of pages that scrapes render at once. */
  readonly maxPages: number
  /** Default: the memory of the machine, or the limit of its container. */
  readonly memoryBytes?: number | undefined
}

/** Number of sessions that fit into memory beside the pages of scrapes, at least 1. */
export function sessionsThatFit(
  kind: keyof typeof plannedBytes,
  { maxPages, memoryBytes = Math.min(process.constrainedMemory() || Infinity, totalmem()) }: SharedMemory,
): number {
  const freeBytes = memoryBytes - reservedBytes
  const scrapeBytes = Math.min(freeBytes * maxScrapeShare, plannedBytes[kind] + maxPages * plannedPageBytes[kind])
  return Math.max(1, Math.floor((freeBytes - scrapeBytes) / plannedBytes[kind]))
}
