import { BowlineError } from 'bowline/kit/errors'
import { findFocusedFrame, type FocusedFrame } from '../cdp/focused-frame.ts'
import type { CdpCall } from '../cdp/protocol.ts'
import type { CdpRouter } from '../cdp/router.ts'
import { attachToTarget } from '../cdp/targets.ts'

/** The frame of a page that has the focus, and its origin. */
export interface FocusedOrigin extends FocusedFrame {
  /** Origin of its URL. `://` or `null` if it has none. */
  readonly origin: string
}

/**
 * Finds the frame that has the focus in a page, and its origin. Its sessions stay attached until
 * `resources` is disposed of. Throws CDP_FAILED if the page is gone, and SECRET_REFUSED if it nests
 * too many frames.
 */
export async function findFocusedOrigin(
  router: CdpRouter,
  targetId: string,
  resources: AsyncDisposableStack,
): Promise<FocusedOrigin> {
  const { call } = resources.use(await attachToTarget(router, targetId))
  const page = { call, attachToFrame: async (frameId: string) => attachToTarget(router, frameId) }
  const frame = await findFocusedFrame(page, { worldName: 'bowline-secrets', resources })
  if (frame === undefined) throw new BowlineError('SECRET_REFUSED', 'The page nests too many frames')
  // Read after the context was opened: if the frame has navigated since, the context is gone.
  return { ...frame, origin: await originOf(frame.call, frame.frameId) }
}

/**
 * Returns the origin of the URL of a frame, as the browser knows it. Clients can run code in every
 * JavaScript context, so what a context says about its origin is not enough.
 */
async function originOf(call: CdpCall, frameId: string): Promise<string> {
  interface Tree {
    readonly frame: { readonly id: string; readonly securityOrigin: string }
    readonly childFrames?: readonly Tree[]
  }
  const find = ({ frame, childFrames = [] }: Tree): string | undefined =>
    frame.id === frameId ? frame.securityOrigin : childFrames.map(find).find((origin) => origin !== undefined)
  return find((await call('Page.getFrameTree')).frameTree) ?? 'null'
}
