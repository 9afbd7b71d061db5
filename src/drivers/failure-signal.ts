import { BowlineError } from '../kit/errors.ts'

/** A signal that aborts when a session becomes unusable. */
export interface FailureSignal {
  readonly signal: AbortSignal
  readonly abort: (why: string) => void
}

/** Creates the signal of one connection. Its reason is DRIVER_FAILED. */
export function createFailureSignal(): FailureSignal {
  const controller = new AbortController()
  return {
    signal: controller.signal,
    abort: (why) => controller.abort(new BowlineError('DRIVER_FAILED', `The session is no longer usable: ${why}`)),
  }
}
