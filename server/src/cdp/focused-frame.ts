import type { PageAccess } from './page-access.ts'
import type { CdpCall } from './protocol.ts'

/** The frame of a page that has the focus. */
export interface FocusedFrame {
  readonly frameId: string
  /** JavaScript context of its document in which the code of the page is not visible. */
  readonly contextId: number
  /** Sends a command to the process of the frame. */
  readonly call: CdpCall
}

/** Options of `findFocusedFrame`. */
export interface FindFocusedFrameOptions {
  /** Name of the JavaScript contexts that are opened. */
  readonly worldName: string
  /** Keeps the sessions with frames of other processes attached until it is disposed of. */
  readonly resources: AsyncDisposableStack
}

/**
 * Finds the frame that has the focus in a page, also inside frames of other processes. `undefined`
 * if more than 20 frames are nested. Throws CDP_FAILED if the page is gone.
 */
export async function findFocusedFrame(
  page: PageAccess,
  { worldName, resources }: FindFocusedFrameOptions,
): Promise<FocusedFrame | undefined> {
  let { call } = page
  let frameId = (await call('Page.getFrameTree')).frameTree.frame.id
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const { executionContextId: contextId } = await call('Page.createIsolatedWorld', { frameId, worldName })
    const child = await findFocusedChild(call, contextId)
    if (child === undefined) return { frameId, contextId, call }
    const opened = await call('Page.createIsolatedWorld', { frameId: child, worldName }).catch(() => undefined)
    // The frame of another process is a target of its own, with the same id.
    if (opened === undefined) ({ call } = resources.use(await page.attachToFrame(child)))
    frameId = child
  }
  return undefined
}

const maxDepth = 20

/** Returns the id of the frame inside a frame that has the focus. */
async function findFocusedChild(call: CdpCall, contextId: number): Promise<string | undefined> {
  const { result } = await call('Runtime.evaluate', { expression: activeElement, contextId, silent: true })
  const { objectId } = result
  if (objectId === undefined) return undefined
  const { node } = await call('DOM.describeNode', { objectId })
  await call('Runtime.releaseObject', { objectId })
  return node.nodeName === 'IFRAME' || node.nodeName === 'FRAME' ? node.frameId : undefined
}

const activeElement = `(() => {
  let element = document.activeElement
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
  return element
})()`
