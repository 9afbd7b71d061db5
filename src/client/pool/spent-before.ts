import type { Abortable } from '../../kit/abort.ts'
import { isBowlineError } from '../../kit/errors.ts'
import type { Sessions } from '../sessions.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { SessionPrice } from './session-price.ts'

/**
 * Credits of the earlier runs of a checkpoint. The sessions whose bills a killed process did not see are ended, as far as
 * they still live: what they cost is known only then. Rejects when the service does not answer.
 */
export async function spentBefore(
  checkpoint: Checkpoint,
  sessions: Sessions,
  price: SessionPrice,
  how: Abortable,
): Promise<number> {
  for (const id of checkpoint.unbilled()) {
    checkpoint.addBill(id, (await endAndBill(sessions, id, how)) ?? price.minimum)
  }
  return checkpoint.billed()
}

async function endAndBill(sessions: Sessions, id: string, how: Abortable): Promise<number | undefined> {
  try {
    return (await sessions.delete(id, how)).creditsBilled
  } catch (error) {
    // The service has forgotten it, or it is another service.
    if (isBowlineError(error) && [403, 404, 410].includes(error.status)) return undefined
    throw error
  }
}
