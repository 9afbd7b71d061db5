import { BowlineError } from 'bowline/kit/errors'

/** Throws EXECUTION_UNAVAILABLE if the operator has turned off code. */
export function assertCodeEnabled(isEnabled: boolean): void {
  if (isEnabled) return
  throw new BowlineError('EXECUTION_UNAVAILABLE', 'This server runs no code of clients', {
    hint: 'The operator of the server has set `--execution off`.',
  })
}
