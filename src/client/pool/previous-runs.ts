import type { Abortable } from '../../kit/abort.ts'
import { isBowlineError } from '../../kit/errors.ts'
import type { Sessions } from '../sessions.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { SessionPrice } from './session-price.ts'

/**
 * Returns the credits that previous runs of a checkpoint have spent. Deletes sessions of killed
 * runs that may still be alive, since their cost is known only after that. Rejects if the service
 * does not respond.
 */
export async function settlePreviousRuns(
  checkpoint: Checkpoint,
  sessions: Pick<Sessions, 'delete'>,
  price: SessionPrice,
  options: Abortable,
): Promise<number> {
  for (const id of checkpoint.unbilled()) {
    checkpoint.addBill(id, (await endAndBill(sessions, id, options)) ?? price.minimum)
  }
  return checkpoint.billed()
}

async function endAndBill(
  sessions: Pick<Sessions, 'delete'>,
  id: string,
  options: Abortable,
): Promise<number | undefined> {
  try {
    return (await sessions.delete(id, options)).creditsBilled
  } catch (error) {
    // The session no longer exists, or the service is another one.
    if (isBowlineError(error) && [403, 404, 410].includes(error.status)) return undefined
    throw error
  }
}
