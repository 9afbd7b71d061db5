import { z } from 'zod'

/** Query of `GET /v2/health/history`. */
export const healthHistoryQuery = z.object({
  /** Hours to look back, 1 to 24. Default: 24. */
  hours: z.coerce.number<number | string>().int().min(1).max(24).default(24),
})

/** State of a server in a step of its history. */
const healthPoint = z.looseObject({
  /** Start of the step. */
  at: z.string(),
  /** Largest number of live and starting sessions. */
  sessions: z.int(),
  maxSessions: z.int(),
  /** Largest number of requests that waited for a session. */
  waiting: z.int(),
  /** Mean share of the memory of the machine that was in use, 0 to 1. */
  memoryUsed: z.number(),
  /** Mean share of the processors that was in use, 0 to 1. */
  cpuUsed: z.number(),
  /** Largest mean wait of a minute in the queue of sessions. */
  queueWaitSeconds: z.number(),
  /** Number of responses. */
  requests: z.int(),
  /** Number of responses with a status of 500 or higher. */
  errors: z.int(),
})

/** History of a server. */
const serverHistory = z.looseObject({
  id: z.string(),
  /** URL by which other servers reach it. Absent if it has none, or no longer runs. */
  url: z.string().optional(),
  /** Whether it has sent a heartbeat lately. */
  isAlive: z.boolean(),
  /** Oldest first. Steps without a sample are omitted. */
  points: z.array(healthPoint),
})

/** Response of `GET /v2/health/history`: the servers that have run in this time, at most 50. */
export const healthHistoryResponse = z.looseObject({
  success: z.literal(true),
  /** Length of a step, 1 to 6 minutes. */
  stepSeconds: z.int(),
  data: z.array(serverHistory),
})
