import { z } from 'zod'
import { clientName } from './bounded.ts'
import { rateLimitText } from './rate-limits.ts'

const credits = z.int().min(0).max(1e12)
const maxConcurrency = z.int().min(1).max(1e6)

/** The name of a team that is to be made: it goes into addresses, command lines and logs. */
export const teamName = z
  .string()
  .min(1)
  .max(100)
  .regex(
    /^[\p{L}\p{N}](?:[\p{L}\p{N} ._@-]*[\p{L}\p{N}._-])?$/u,
    'The name of a team has letters, digits, spaces and . _ @ -, and begins with a letter or digit',
  )

/** A team: who pays, how much is left, and how much it may do at a time. */
export const teamSummary = z.looseObject({
  id: z.string(),
  name: z.string(),
  /** The balance, with what is set aside for running work; null: unmetered. */
  credits: z.number().nullable(),
  reservedCredits: z.number(),
  /** Sessions and scrapes that run now. */
  concurrency: z.number(),
  /** Null: as many as the servers can hold. */
  maxConcurrency: z.number().nullable(),
  /** Requests a minute, such as `x10,scrape=100`; null: what the server is set to. */
  rateLimits: z.string().nullable(),
  createdAt: z.string(),
})

/** Body of `POST /v2/teams`. */
export const createTeamRequest = z.strictObject({
  name: teamName,
  /** Default: unmetered. */
  credits: credits.nullable().optional(),
  /** Default: no limit. */
  maxConcurrency: maxConcurrency.nullable().optional(),
  /** Default: what the server is set to. */
  rateLimits: rateLimitText.nullable().optional(),
  origin: clientName.optional(),
})

/** Path of one team. */
export const teamParams = z.object({ id: z.string().min(1) })

/** Body of `PATCH /v2/teams/{id}`: what is absent stays as it is; null lifts a limit. */
export const updateTeamRequest = z
  .strictObject({
    /** The new balance. */
    credits: credits.nullable().optional(),
    /** Credits to add to the balance. */
    addCredits: z.int().min(-1e12).max(1e12).optional(),
    maxConcurrency: maxConcurrency.nullable().optional(),
    rateLimits: rateLimitText.nullable().optional(),
    origin: clientName.optional(),
  })
  .refine((body) => Object.entries(body).some(([name, value]) => name !== 'origin' && value !== undefined), {
    error: 'Update body cannot be empty',
  })
  .refine(({ credits: set, addCredits }) => set === undefined || addCredits === undefined, {
    error: 'Either set `credits` or add `addCredits`',
  })

/** Answer of `GET /v2/teams`. */
export const listTeamsResponse = z.looseObject({ success: z.literal(true), data: z.array(teamSummary) })

/** Answer of `POST /v2/teams` and `PATCH /v2/teams/{id}`. */
export const teamResponse = z.looseObject({ success: z.literal(true), data: teamSummary })

export type TeamSummary = z.output<typeof teamSummary>
export type CreateTeamOptions = z.input<typeof createTeamRequest>
export type TeamChanges = z.input<typeof updateTeamRequest>
