import type { Abortable } from '../../kit/abort.ts'
import type { Sessions } from '../sessions.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { SessionPrice } from './session-price.ts'

/** Credits of the earlier runs of a checkpoint. The service is asked for the bills that a killed process did not see. */
export const spentBefore = async (
  checkpoint: Checkpoint,
  sessions: Sessions,
  price: SessionPrice,
  { signal }: Abortable,
): Promise<number> => {
  for (const id of checkpoint.unbilled()) {
    const found = await sessions.get(id, { signal }).catch(() => undefined)
    signal?.throwIfAborted()
    checkpoint.addBill(id, found?.creditsBilled ?? price.minimum)
  }
  return checkpoint.billed()
}
