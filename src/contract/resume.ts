import { z } from 'zod'

/** Header of a CDP handshake: seconds for which a lost connection can be resumed. 0: it cannot. */
export const resumeSecondsHeader = 'bowline-resume-seconds'

/** Event that a resumed connection begins with. Its parameters are `ResumedEvent`. */
export const resumedMethod = 'Bowline.resumed'

/** Parameters of the event `Bowline.resumed`. */
export interface ResumedEvent {
  /** Number of messages that the server has received on the connection. */
  readonly received: number
}

/**
 * Query of a CDP URL whose connection can be resumed. `resume`: a key that the client chooses.
 * `received`: only to resume; the number of messages that the client has received, without
 * `Bowline.resumed`.
 */
export const resumeQuery = z.object({
  resume: z
    .string()
    .regex(/^[\w-]{16,64}$/, 'must be 16 to 64 characters: letters, digits, "-" and "_"')
    .optional(),
  received: z
    .string()
    .regex(/^\d{1,15}$/, 'must be the number of messages that the client has received')
    .transform(Number)
    .optional(),
})
