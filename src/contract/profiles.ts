import { z } from 'zod'
import { boundedArray } from './bounded.ts'
import { sessionLimits } from './session-options.ts'

/** Path parameters of a profile. */
export const profileParams = z.object({
  name: z.string().min(sessionLimits.profileName.min).max(sessionLimits.profileName.max),
})

/** Path parameters of a version of a profile. */
export const profileVersionParams = profileParams.extend({ version: z.coerce.number().int().min(1) })

/** A profile in a list. */
export const profileSummary = z.looseObject({
  name: z.string(),
  /** Version that sessions start from. Absent if nothing has been saved yet. */
  version: z.int().optional(),
  /** Number of stored versions. */
  versions: z.int(),
  /** Size of the current version before compression, in bytes. */
  contentBytes: z.number().optional(),
  /** Stored size of all versions, in bytes. */
  storedBytes: z.number(),
  createdAt: z.string(),
  /** When the current version was saved. */
  savedAt: z.string().optional(),
  /** Whether a session or an import is writing it. */
  isLocked: z.boolean(),
  /** Id of the session that is writing it. */
  lockedBy: z.string().optional(),
  /** Cookies of an import that the browser did not store. Only in the response of the import. */
  warning: z.string().optional(),
})

/** A saved version of a profile. */
export const profileVersion = z.looseObject({
  version: z.int(),
  /** Whether sessions start from it. */
  isCurrent: z.boolean(),
  contentBytes: z.number(),
  storedBytes: z.number(),
  savedAt: z.string(),
  /** Browser that wrote it, such as `HeadlessChrome/156.0.8078.79`. */
  browser: z.string(),
  /** Id of the session that saved it. Absent if it was imported. */
  sessionId: z.string().optional(),
})

/** Response of `GET /v2/browser/profiles`, by name. */
export const listProfilesResponse = z.looseObject({ success: z.literal(true), data: z.array(profileSummary) })

/** Response of the routes that read or change one profile. */
export const profileResponse = z.looseObject({ success: z.literal(true), data: profileSummary })

/** Response of `DELETE /v2/browser/profiles/{name}`. */
export const deleteProfileResponse = z.looseObject({ success: z.literal(true) })

/** Response of `GET /v2/browser/profiles/{name}/versions`, newest first. */
export const listVersionsResponse = z.looseObject({ success: z.literal(true), data: z.array(profileVersion) })

const storageCookie = z.object({
  /** Empty for a cookie without a name, which browsers keep. */
  name: z.string(),
  value: z.string(),
  domain: z.string().min(1),
  path: z.string(),
  /** Seconds since the epoch; -1 for session cookies. */
  expires: z.number(),
  httpOnly: z.boolean(),
  secure: z.boolean(),
  sameSite: z.enum(['Strict', 'Lax', 'None']),
  partitionKey: z.string().optional(),
})

const storageItem = z.object({ name: z.string(), value: z.string() })

const storageDatabase = z.looseObject({ name: z.string(), version: z.number(), stores: z.array(z.unknown()) })

const storageOrigin = z.object({
  origin: z.url({ protocol: /^https?$/ }),
  localStorage: z.array(storageItem).default([]),
  /** Databases in the format of Playwright. */
  indexedDB: z.array(storageDatabase).optional(),
})

/** Playwright's storageState, the format in which profiles are exported and imported. */
export const storageState = z.object({
  cookies: z.array(storageCookie).default([]),
  origins: z.array(storageOrigin).default([]),
})

/**
 * Limits of an import: cookies and origins in total, items and databases per origin. The browser
 * visits each origin.
 */
export const storageStateLimits = { cookies: 5000, origins: 500, items: 10_000, databases: 100 } as const

/** An origin of an import, with limits. */
const importedOrigin = storageOrigin.extend({
  localStorage: boundedArray(storageItem, storageStateLimits.items).default([]),
  indexedDB: boundedArray(storageDatabase, storageStateLimits.databases).optional(),
})

/** Body of `PUT /v2/browser/profiles/{name}/storage-state`, with `cookies`, `origins` or both. */
export const importStorageStateRequest = z
  .object({
    /** At most 5000. */
    cookies: boundedArray(storageCookie, storageStateLimits.cookies).optional(),
    /** At most 500, each with at most 10,000 items of localStorage and 100 databases. */
    origins: boundedArray(importedOrigin, storageStateLimits.origins).optional(),
  })
  // An import replaces everything, so that another file would delete the content of a profile.
  .refine(({ cookies, origins }) => cookies !== undefined || origins !== undefined, {
    error: '`cookies` or `origins` is missing',
  })

/** Response of `GET /v2/browser/profiles/{name}/storage-state`. */
export const storageStateResponse = z.looseObject({ success: z.literal(true), data: storageState })

/**
 * A profile with its versions and the session that writes it.
 *
 * @example
 * ```ts
 * import { Bowline, type ProfileSummary } from 'bowline'
 *
 * const profiles: readonly ProfileSummary[] = await new Bowline().profiles.list()
 * for (const { name, savedAt, lockedBy } of profiles) console.log(name, savedAt, lockedBy)
 * ```
 */
export type ProfileSummary = z.output<typeof profileSummary>

/**
 * A saved version of a profile.
 *
 * @example
 * ```ts
 * import type { ProfileVersion } from 'bowline'
 *
 * function previous(versions: readonly ProfileVersion[]): ProfileVersion | undefined {
 *   return versions.find(({ isCurrent }) => !isCurrent)
 * }
 * ```
 */
export type ProfileVersion = z.output<typeof profileVersion>
export type StorageState = z.output<typeof storageState>
/**
 * Cookies and storage to import into a profile, in the format of Playwright's `storageState`.
 *
 * @example
 * ```ts
 * import { Bowline, type StorageStateInput } from 'bowline'
 *
 * const state: StorageStateInput = {
 *   cookies: [],
 *   origins: [{ origin: 'https://example.com', localStorage: [{ name: 'theme', value: 'dark' }] }],
 * }
 * await new Bowline().profiles.importState('imported', state)
 * ```
 */
export type StorageStateInput = z.input<typeof storageState>
