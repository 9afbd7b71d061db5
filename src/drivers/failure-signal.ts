import { BowlineError } from '../kit/errors.ts'

/** A signal that tells why a session cannot go on. */
export interface FailureSignal {
  readonly signal: AbortSignal
  readonly abort: (why: string) => void
}

/** Makes the signal of one connection; its reason will be DRIVER_FAILED. */
export function createFailureSignal(): FailureSignal {
  const controller = new AbortController()
  return {
    signal: controller.signal,
    abort: (why) => controller.abort(new BowlineError('DRIVER_FAILED', `The session cannot go on: ${why}`)),
  }
}
