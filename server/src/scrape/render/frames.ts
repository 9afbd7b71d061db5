import type { CdpResult, Tab } from './tab.ts'

/** Maximum number of frames that are read per page. */
const maxFrames = 50

/** A frame of a page and its CDP sessions. */
export interface Frame {
  readonly frameId: string
  /** Session of its document. */
  readonly session: string
  /** Session of its frame element. */
  readonly ownerSession: string
}

interface FrameTree {
  readonly frame: { readonly id: string }
  readonly childFrames?: readonly FrameTree[]
}

/** Lists the frames of a page, including cross-origin ones. */
export async function listFrames(tab: Tab): Promise<readonly Frame[]> {
  const remote = [...tab.frameSessions].map(([session, { frameId, parent }]) => ({
    frameId,
    session,
    ownerSession: parent,
  }))
  const local: Frame[] = []
  for (const session of [tab.sessionId, ...remote.map((frame) => frame.session)]) {
    const { frameTree } = await tab.call('Page.getFrameTree', {}, session).catch((): CdpResult => ({}))
    const visit = (tree: FrameTree, isRoot: boolean): void => {
      const isRemote = remote.some(({ frameId }) => frameId === tree.frame.id)
      if (!isRoot && !isRemote) local.push({ frameId: tree.frame.id, session, ownerSession: session })
      for (const child of tree.childFrames ?? []) visit(child, false)
    }
    if (frameTree !== undefined) visit(frameTree as FrameTree, true)
  }
  const frames = [...local, ...remote]
  if (frames.length > maxFrames) {
    tab.warnings.add(`The page has ${frames.length} frames: those after the first ${maxFrames} were omitted.`)
  }
  return frames.slice(0, maxFrames)
}
