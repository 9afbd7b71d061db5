import { z } from 'zod'
import { boundedArray } from './bounded.ts'
import { sessionLimits } from './browser.ts'

/** Path parameter that names a profile. */
export const profileParams = z.object({
  name: z.string().min(sessionLimits.profileName.min).max(sessionLimits.profileName.max),
})

/** Path parameters that name one version of a profile. */
export const profileVersionParams = profileParams.extend({ version: z.coerce.number().int().min(1) })

/** A profile as lists show it. */
export const profileSummary = z.looseObject({
  name: z.string(),
  /** Version that sessions start with. Absent: nothing was saved yet. */
  version: z.int().optional(),
  /** How many versions are kept. */
  versions: z.int(),
  /** Bytes of the current version before compression. */
  contentBytes: z.number().optional(),
  /** Bytes of all kept versions as they are stored. */
  storedBytes: z.number(),
  createdAt: z.string(),
  /** When the current version was saved. */
  savedAt: z.string().optional(),
  /** Whether someone writes it now. */
  isLocked: z.boolean(),
  /** Session that writes it now. */
  lockedBy: z.string().optional(),
})

/** One saved state of a profile. */
export const profileVersion = z.looseObject({
  version: z.int(),
  /** Whether sessions start with it. */
  isCurrent: z.boolean(),
  contentBytes: z.number(),
  storedBytes: z.number(),
  savedAt: z.string(),
  /** What wrote it, such as `HeadlessChrome/156.0.8078.79`. */
  browser: z.string(),
  /** Session that saved it. Absent: it was imported. */
  sessionId: z.string().optional(),
})

/** Answer of `GET /v2/browser/profiles`, by name. */
export const listProfilesResponse = z.looseObject({ success: z.literal(true), data: z.array(profileSummary) })

/** Answer of the routes that read or change one profile. */
export const profileResponse = z.looseObject({ success: z.literal(true), data: profileSummary })

/** Answer of `DELETE /v2/browser/profiles/{name}`. */
export const deleteProfileResponse = z.looseObject({ success: z.literal(true) })

/** Answer of `GET /v2/browser/profiles/{name}/versions`, newest first. */
export const listVersionsResponse = z.looseObject({ success: z.literal(true), data: z.array(profileVersion) })

const storageCookie = z.object({
  name: z.string().min(1),
  value: z.string(),
  domain: z.string().min(1),
  path: z.string(),
  /** Seconds since the epoch; -1 for cookies of the session. */
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
  /** Databases as Playwright writes them. */
  indexedDB: z.array(storageDatabase).optional(),
})

/** What Playwright calls a storageState: the form in which profiles are exported and imported. */
export const storageState = z.object({
  cookies: z.array(storageCookie).default([]),
  origins: z.array(storageOrigin).default([]),
})

/** Most cookies and origins of one import, each of which the browser visits, and most items and databases of one origin. */
export const storageStateLimits = { cookies: 5000, origins: 500, items: 10_000, databases: 100 } as const

/** As an origin that is exported, but only so much of it. */
const importedOrigin = storageOrigin.extend({
  localStorage: boundedArray(storageItem, storageStateLimits.items).default([]),
  indexedDB: boundedArray(storageDatabase, storageStateLimits.databases).optional(),
})

/** Body of `PUT /v2/browser/profiles/{name}/storage-state`. */
export const importStorageStateRequest = z.object({
  /** At most 5000. */
  cookies: boundedArray(storageCookie, storageStateLimits.cookies).default([]),
  /** At most 500, each with at most 10,000 items of localStorage and 100 databases. */
  origins: boundedArray(importedOrigin, storageStateLimits.origins).default([]),
})

/** Answer of `GET /v2/browser/profiles/{name}/storage-state`. */
export const storageStateResponse = z.looseObject({ success: z.literal(true), data: storageState })

export type ProfileSummary = z.output<typeof profileSummary>
export type ProfileVersion = z.output<typeof profileVersion>
export type StorageState = z.output<typeof storageState>
export type StorageStateInput = z.input<typeof storageState>
