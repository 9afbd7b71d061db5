import { z } from 'zod'
import { clientName } from './bounded.ts'
import { rateLimitText } from './rate-limits.ts'

const credits = z.int().min(0).max(1e12)
const maxConcurrency = z.int().min(1).max(1e6)

/**
 * Schema of the name of a new team. Restricted, since it is used in URLs, command lines and logs.
 */
export const teamName = z
  .string()
  .min(1)
  .max(100)
  .regex(
    /^[\p{L}\p{N}](?:[\p{L}\p{N} ._@-]*[\p{L}\p{N}._-])?$/u,
    'A team name must consist of letters, digits, spaces and . _ @ -, and start with a letter or digit',
  )

/** A team with its balance and limits. */
export const teamSummary = z.looseObject({
  id: z.string(),
  name: z.string(),
  /** Balance, including reserved credits; `null` if the team is not metered. */
  credits: z.number().nullable(),
  reservedCredits: z.number(),
  /** Number of running sessions and scrapes. */
  concurrency: z.number(),
  /** Maximum concurrency; `null` for that of the servers. */
  maxConcurrency: z.number().nullable(),
  /** Requests per minute, such as `x10,scrape=100`; `null` for the limits of the server. */
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
  /** Requests per minute, such as `x10,scrape=100`. Default: the limits of the server. */
  rateLimits: rateLimitText.nullable().optional(),
  origin: clientName.optional(),
})

/** Path parameters of a team. */
export const teamParams = z.object({ id: z.string().min(1) })

/** Body of `PATCH /v2/teams/{id}`. Absent fields stay the same; `null` removes a limit. */
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
    error: 'Set either `credits` or `addCredits`',
  })

/** Response of `GET /v2/teams`. */
export const listTeamsResponse = z.looseObject({ success: z.literal(true), data: z.array(teamSummary) })

/** Response of `POST /v2/teams` and `PATCH /v2/teams/{id}`. */
export const teamResponse = z.looseObject({ success: z.literal(true), data: teamSummary })

/**
 * A team with its balance and limits.
 *
 * @example
 * ```ts
 * import { Bowline, type TeamSummary } from 'bowline'
 *
 * const teams: readonly TeamSummary[] = await new Bowline().teams.list()
 * for (const { name, credits } of teams) console.log(name, credits ?? 'not metered')
 * ```
 */
export type TeamSummary = z.output<typeof teamSummary>
/**
 * Name, balance and limits of a new team.
 *
 * @example
 * ```ts
 * import { Bowline, type CreateTeamOptions } from 'bowline'
 *
 * const options: CreateTeamOptions = { name: 'editors', credits: 10_000, maxConcurrency: 5 }
 * const { id, credits } = await new Bowline().teams.create(options)
 * console.log(id, credits)
 * ```
 */
export type CreateTeamOptions = z.input<typeof createTeamRequest>
/**
 * Changes to the balance and limits of a team. Fields that are absent stay the same, and `null`
 * removes a limit.
 *
 * @example
 * ```ts
 * import { Bowline, type TeamChanges } from 'bowline'
 *
 * const bowline = new Bowline()
 * await bowline.teams.create({ name: 'testers', credits: 100 })
 * const changes: TeamChanges = { addCredits: 500, maxConcurrency: null } // no own limit any more
 * const { credits } = await bowline.teams.update('testers', changes)
 * console.log(credits) // 600
 * ```
 */
export type TeamChanges = z.input<typeof updateTeamRequest>
