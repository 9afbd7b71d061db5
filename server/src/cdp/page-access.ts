import type { CdpCall } from './protocol.ts'
import type { CdpSession } from './targets.ts'

/** A page whose frames in other processes can be attached to. */
export interface PageAccess {
  readonly call: CdpCall
  /**
   * Attaches to a frame that runs in another process than the frame that embeds it. Rejects with
   * CDP_FAILED if the frame is gone.
   */
  readonly attachToFrame: (frameId: string) => Promise<CdpSession>
}
