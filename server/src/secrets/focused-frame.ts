import { BowlineError } from 'bowline/kit/errors'
import type { CdpCall } from '../cdp/protocol.ts'
import type { CdpRouter } from '../cdp/router.ts'
import { attachToTarget } from '../cdp/targets.ts'

/** The frame of a page that has the focus. */
export interface FocusedFrame {
  /** Origin of its URL. `://` or `null` if it has none. */
  readonly origin: string
  /** JavaScript context of its document in which the code of the page is not visible. */
  readonly contextId: number
  readonly call: CdpCall
}

/**
 * Finds the frame that has the focus in a page, also inside frames of other processes. Its sessions
 * stay attached until `resources` is disposed of. Throws CDP_FAILED if the page is gone.
 */
export async function findFocusedFrame(
  router: CdpRouter,
  targetId: string,
  resources: AsyncDisposableStack,
): Promise<FocusedFrame> {
  let { call } = resources.use(await attachToTarget(router, targetId))
  let frameId = (await call('Page.getFrameTree')).frameTree.frame.id
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const { executionContextId: contextId } = await openContext(call, frameId)
    const child = await findFocusedChild(call, contextId)
    // Read after the context was opened: if the frame has navigated since, the context is gone.
    if (child === undefined) return { origin: await originOf(call, frameId), contextId, call }
    const opened = await openContext(call, child).catch(() => undefined)
    // The frame of another process is a target of its own, with the same id.
    if (opened === undefined) ({ call } = resources.use(await attachToTarget(router, child)))
    frameId = child
  }
  throw new BowlineError('SECRET_REFUSED', `The page has more than ${maxDepth} nested frames`)
}

const maxDepth = 20

const worldName = 'bowline-secrets'

async function openContext(call: CdpCall, frameId: string) {
  return call('Page.createIsolatedWorld', { frameId, worldName })
}

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
