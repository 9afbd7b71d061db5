import { executeLimits, executeOutcome, type ExecuteInput, type ExecuteOutcome } from '../contract/execute.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'
import { checkOptions, type OptionNames } from './check-options.ts'
import { requestTimeout } from './request-timeout.ts'

/**
 * Options of `session.execute()`. Aborting stops the wait; the code continues until its timeout.
 *
 * @example
 * ```ts
 * import { Bowline, type ExecuteOptions } from 'bowline'
 *
 * const options: ExecuteOptions = { language: 'bash', timeout: 10 }
 * await using session = await new Bowline().sessions.create({ ttl: 60 })
 * const { stdout, exitCode } = await session.execute('ls /browser/downloads', options)
 * console.log(exitCode, stdout)
 * ```
 */
export interface ExecuteOptions extends Abortable {
  /** Language of the code. Default: `node`. */
  readonly language?: ExecuteInput['language']
  /** Seconds after which the code is killed, 1 to 300. Default: 30. */
  readonly timeout?: number | undefined
}

/**
 * Outcome of code that ran in a session.
 *
 * @example
 * ```ts
 * import { Bowline, type ExecuteResult } from 'bowline'
 *
 * await using session = await new Bowline().sessions.create({ ttl: 60 })
 * const { stdout, stderr, exitCode, killed }: ExecuteResult =
 *   await session.execute('console.log(6 * 7)')
 * console.log(stdout, stderr, exitCode, killed)
 * ```
 */
export type ExecuteResult = ExecuteOutcome

/** Seconds of the server to wait for earlier calls and to start an interpreter. */
const graceSeconds = 30

/** Runs code in a session. */
export async function execute(
  call: Call,
  id: string,
  code: string,
  options: ExecuteOptions = {},
): Promise<ExecuteResult> {
  checkOptions('session.execute()', options, optionNames)
  const { signal, language, timeout } = options
  const { defaultTimeout: fallback } = executeLimits
  const timeoutMs = requestTimeout(timeout, { fallback, grace: graceSeconds, unit: 'seconds' }) * 1000
  // Not retried, because the code may have run.
  const callOptions = { signal, timeoutMs, retries: 0 }
  const body = { code, ...(language === undefined ? {} : { language }), ...(timeout === undefined ? {} : { timeout }) }
  const { success: _, ...result } = await call('execute', { params: { id }, body }, callOptions)
  return executeOutcome.parse(result)
}

const optionNames: OptionNames<ExecuteOptions> = { signal: true, language: true, timeout: true }
