import { z } from 'zod'
import { boundedArray, clientName } from './bounded.ts'
import { allowedDomain, maxDomains } from './session-network.ts'
import { teamName } from './teams.ts'

/** Restrictions of the tools of `/mcp` for callers with a key. */
export const keyMcp = z.object({
  /** Hosts that sessions may connect to and that may be scraped. Default: those of the server. */
  allowedDomains: z.array(z.string()).optional(),
  /** `read`: only tools that read pages. Default: `all`. */
  tools: z.enum(['all', 'read']).optional(),
})

/** An API key in a list. The key itself is shown only when it is created. */
export const keySummary = z.looseObject({
  id: z.string(),
  name: z.string(),
  team: z.string(),
  /** First characters of the key. */
  prefix: z.string(),
  /** `admin` keys create and revoke keys of all teams; `member` keys only use the API. */
  role: z.enum(['admin', 'member']),
  createdAt: z.string(),
  lastUsedAt: z.string().optional(),
  revokedAt: z.string().optional(),
  /** When a bootstrap key was retired because no running server was configured with it. */
  retiredAt: z.string().optional(),
  /** Restrictions of `/mcp`. */
  mcp: keyMcp.optional(),
})

/**
 * Body of `POST /v2/team/keys`. Unknown keys are rejected: without a misspelt `team`, the key would
 * be one of the caller's team.
 */
export const createKeyRequest = z.strictObject({
  /** Name of the key, 1 to 100 characters. Default: `key`. */
  name: z.string().min(1).max(100).default('key'),
  /** Name of the team; created if it does not exist. Default: the team of the calling key. */
  team: teamName.optional(),
  /** `admin` keys manage keys and teams; `member` keys only use the API. Default: `member`. */
  role: z.enum(['admin', 'member']).default('member'),
  /** Restricts the tools of `/mcp`. It does not restrict other routes. */
  mcp: z
    .strictObject({ ...keyMcp.shape, allowedDomains: boundedArray(allowedDomain, maxDomains, 1).optional() })
    .optional(),
  /** Name of the client program. Ignored. */
  origin: clientName.optional(),
})

/** Response of `POST /v2/team/keys`. The only response that contains `key`. */
export const createKeyResponse = z.looseObject({ success: z.literal(true), key: z.string(), data: keySummary })

/** Response of `GET /v2/team/keys`. */
export const listKeysResponse = z.looseObject({ success: z.literal(true), data: z.array(keySummary) })

/** Response of `DELETE /v2/team/keys/{id}`. */
export const revokeKeyResponse = z.looseObject({ success: z.literal(true), data: keySummary })

export type KeyMcp = z.output<typeof keyMcp>

/**
 * An API key without its value.
 *
 * @example
 * ```ts
 * import { Bowline, type KeySummary } from 'bowline'
 *
 * const keys: readonly KeySummary[] = await new Bowline().keys.list()
 * for (const { name, role, lastUsedAt } of keys) console.log(name, role, lastUsedAt)
 * ```
 */
export type KeySummary = z.output<typeof keySummary>
/**
 * Name, team and role of a new API key, and the tools that it may use over MCP.
 *
 * @example
 * ```ts
 * import { Bowline, type CreateKeyOptions } from 'bowline'
 *
 * const options: CreateKeyOptions = { name: 'ci', team: 'research', mcp: { tools: 'read' } }
 * const { key } = await new Bowline().keys.create(options)
 * console.log(key) // the only time that it is shown
 * ```
 */
export type CreateKeyOptions = z.input<typeof createKeyRequest>

/**
 * A new API key. Its value is returned only once.
 *
 * @example
 * ```ts
 * import { Bowline, type CreateKeyResponse } from 'bowline'
 *
 * const { key, data }: CreateKeyResponse = await new Bowline().keys.create({ name: 'nightly' })
 * console.log(`Store this key: ${key}. Its id is ${data.id}`)
 * ```
 */
export type CreateKeyResponse = z.output<typeof createKeyResponse>
