import { z } from 'zod'
import { teamName } from './teams.ts'

/** An API key as lists show it. The key itself is shown once, when it is made. */
export const keySummary = z.looseObject({
  id: z.string(),
  name: z.string(),
  team: z.string(),
  /** First characters of the key, to recognise it by. */
  prefix: z.string(),
  /** `admin` keys make and revoke keys of every team; `member` keys only use the API. */
  role: z.enum(['admin', 'member']),
  createdAt: z.string(),
  lastUsedAt: z.string().optional(),
  revokedAt: z.string().optional(),
  /** When a bootstrap key stopped working because no running server is configured with it any more. */
  retiredAt: z.string().optional(),
})

/** Body of `POST /v2/team/keys`. */
export const createKeyRequest = z.object({
  name: z.string().min(1).max(100).default('key'),
  /** Name of the team the key is for; made when it does not exist. Default: the team of the calling key. */
  team: teamName.optional(),
  role: z.enum(['admin', 'member']).default('member'),
})

/** Answer of `POST /v2/team/keys`: the only place where `key` is shown. */
export const createKeyResponse = z.looseObject({ success: z.literal(true), key: z.string(), data: keySummary })

/** Answer of `GET /v2/team/keys`. */
export const listKeysResponse = z.looseObject({ success: z.literal(true), data: z.array(keySummary) })

/** Answer of `DELETE /v2/team/keys/{id}`. */
export const revokeKeyResponse = z.looseObject({ success: z.literal(true), data: keySummary })

export type KeySummary = z.output<typeof keySummary>
export type CreateKeyOptions = z.input<typeof createKeyRequest>
export type CreateKeyResponse = z.output<typeof createKeyResponse>
