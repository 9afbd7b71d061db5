import { z } from 'zod'
import { crawlTarget, scrapeTarget, searchTarget, type Target } from 'bowline/contract/monitors'

/** A target with its id. */
export type StoredTarget = Target & { readonly id: string }

const id = z.string()
const scrapeOptions = z.record(z.string(), z.unknown()).optional()

/**
 * Schema of the stored targets of a monitor. URLs and scrape options were validated when they were
 * set, and a check validates them again; options of other versions are ignored.
 */
export const storedTargets: z.ZodType<readonly StoredTarget[]> = z.array(
  z.discriminatedUnion('type', [
    scrapeTarget.extend({ id, urls: z.array(z.string()), scrapeOptions }).loose(),
    crawlTarget.extend({ id, url: z.string(), scrapeOptions }).loose(),
    searchTarget.safeExtend({ id }).loose(),
  ]),
)
