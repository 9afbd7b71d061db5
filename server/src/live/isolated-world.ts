import type { CdpCall } from '../cdp/protocol.ts'

/** Name of the JavaScript contexts of the live view. */
export const worldName = 'bowline-live-view'

/**
 * Opens a JavaScript context of a frame in which the page's own code is not visible, and returns
 * its id. In the context of the page, the page could replace the functions that the server's
 * scripts call, and choose what they return.
 */
export async function openIsolatedWorld(call: CdpCall, frameId: string): Promise<number> {
  // Chromium reuses the world of this name.
  const { executionContextId } = await call('Page.createIsolatedWorld', { frameId, worldName })
  return executionContextId
}
