import type { CdpCall, Protocol } from '../../cdp/protocol.ts'
import type { Tab } from './tab.ts'

/** Maximum number of frames that are read per page. */
const maxFrames = 50

/** A frame of a page. */
export interface Frame {
  readonly frameId: string
  /** Calls the CDP session of its document. */
  readonly call: CdpCall
  /** Calls the CDP session of its frame element. */
  readonly callOwner: CdpCall
}

/** Lists the frames of a page, including cross-origin ones. */
export async function listFrames(tab: Tab): Promise<readonly Frame[]> {
  const remote = [...tab.attached.values()]
    .filter(({ type }) => type === 'iframe')
    .map(({ targetId: frameId, cdpSessionId, parentCdpSessionId }) => ({
      frameId,
      call: tab.callIn(cdpSessionId),
      callOwner: tab.callIn(parentCdpSessionId),
    }))
  const local: Frame[] = []
  for (const call of [tab.call, ...remote.map((frame) => frame.call)]) {
    // A frame may disappear at any moment. Continue with the others.
    const found = await call('Page.getFrameTree').catch(() => undefined)
    const visit = (tree: Protocol.Page.FrameTree, isRoot: boolean): void => {
      const isRemote = remote.some(({ frameId }) => frameId === tree.frame.id)
      if (!isRoot && !isRemote) local.push({ frameId: tree.frame.id, call, callOwner: call })
      for (const child of tree.childFrames ?? []) visit(child, false)
    }
    if (found !== undefined) visit(found.frameTree, true)
  }
  const frames = [...local, ...remote]
  if (frames.length > maxFrames) {
    tab.warnings.add(`The page has ${frames.length} frames: those after the first ${maxFrames} were omitted.`)
  }
  return frames.slice(0, maxFrames)
}
