import { z } from 'zod'

/** Limits of code that runs in a session. */
export const executeLimits = {
  /** Length of the code in UTF-8 bytes. */
  codeBytes: 100_000,
  /** Seconds. */
  maxTimeout: 300,
  defaultTimeout: 30,
  /** Bytes of each of `stdout`, `stderr` and `result`. The rest is cut. */
  outputBytes: 1_000_000,
} as const

/** Language of the code. Each has its own interpreter in a session. */
export const executeLanguage = z.enum(['node', 'python', 'bash'])

const codeTooLong = 'Code must not exceed 100,000 UTF-8 bytes.'

/** Fields of a request that runs code. */
export const executeFields = {
  /**
   * Code to run. Node and Python have `page`, `context` and `browser` of Playwright, and top-level
   * await. At most 100 000 UTF-8 bytes.
   */
  code: z
    .string()
    .min(1)
    .refine((code) => new TextEncoder().encode(code).length <= executeLimits.codeBytes, codeTooLong),
  /** Default: `node`. */
  language: executeLanguage.default('node'),
  /**
   * Seconds after which the code is killed, 1 to 300. Bindings of its language are then lost.
   * Default: 30.
   */
  timeout: z.int().min(1).max(executeLimits.maxTimeout).default(executeLimits.defaultTimeout),
  /** Name of the client. Ignored. */
  origin: z.string().optional(),
}

/** Body of `POST /v2/browser/{id}/execute`. */
export const executeRequest = z.object(executeFields)

/** Outcome of code that ran. */
export const executeOutcome = z.object({
  stdout: z.string(),
  stderr: z.string(),
  /**
   * Value of the last expression: strings as they are, other values as JSON or as the language
   * prints them. `stdout` if there is none, and in bash.
   */
  result: z.string(),
  /** 0 if the code succeeded, 1 if it threw, else the status of the command or process. */
  exitCode: z.int(),
  /** Whether the code was killed at a limit. The next call starts a new interpreter. */
  killed: z.boolean(),
  /** Output of the error, or the limit that was reached. Absent if the code succeeded. */
  error: z.string().optional(),
  /** Whether `stdout`, `stderr` or `result` was cut. Absent if not. */
  truncated: z.literal(true).optional(),
})

/** Response of `POST /v2/browser/{id}/execute`. `success` is true once the code ran at all. */
export const executeResponse = z.looseObject({ success: z.literal(true), ...executeOutcome.shape })

export type ExecuteLanguage = z.output<typeof executeLanguage>
export type ExecuteInput = z.input<typeof executeRequest>
export type ExecuteOutcome = z.output<typeof executeOutcome>
export type ExecuteRequest = z.output<typeof executeRequest>
export type ExecuteResponse = z.output<typeof executeResponse>
