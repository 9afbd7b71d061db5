import { z } from 'zod'
import { boundedArray } from './bounded.ts'

/** Maximum number of `extensions` of a session. */
export const maxSessionExtensions = 5

/** Limits of one extension. */
export const extensionLimits = { zipBytes: 20_000_000, contentBytes: 80_000_000, files: 5000 } as const

/** Ids of uploaded extensions that a session loads. At most 5. */
export const sessionExtensions = boundedArray(z.uuid(), maxSessionExtensions).refine(
  (ids) => new Set(ids).size === ids.length,
  'cannot contain an extension twice',
)

/** Path parameters of an extension. */
export const extensionParams = z.object({ id: z.string().min(1).max(200) })

/** A browser extension that a team has uploaded. */
export const browserExtension = z.looseObject({
  /** Id for `extensions` of a session. */
  id: z.string(),
  /** Name in the manifest. */
  name: z.string(),
  /** Version in the manifest. */
  version: z.string(),
  /** Size of the zip in bytes. */
  size: z.number(),
  /** Size of the unpacked files in bytes. */
  contentBytes: z.number(),
  /** Value of `chrome.runtime.id`, the host of its `chrome-extension:` URLs. */
  runtimeId: z.string(),
  createdAt: z.string(),
})

/** Response of `GET /v2/browser/extensions`, newest first. */
export const listExtensionsResponse = z.looseObject({ success: z.literal(true), data: z.array(browserExtension) })

/** Response of the routes that return one extension. */
export const extensionResponse = z.looseObject({ success: z.literal(true), data: browserExtension })

/** Response of `DELETE /v2/browser/extensions/{id}`. */
export const deleteExtensionResponse = z.looseObject({ success: z.literal(true) })

/**
 * A browser extension that a team has uploaded.
 *
 * @example
 * ```ts
 * import { Bowline, type BrowserExtension } from 'bowline'
 *
 * const extensions: readonly BrowserExtension[] = await new Bowline().extensions.list()
 * for (const { id, name, version } of extensions) console.log(id, name, version)
 * ```
 */
export type BrowserExtension = z.output<typeof browserExtension>
