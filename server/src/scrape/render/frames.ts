import type { CdpResult, Tab } from './tab.ts'

/** Frames of a page that are looked at; further ones are left out. */
const maxFrames = 50

/** A frame of a page, and the sessions to reach it by. */
export interface Frame {
  readonly frameId: string
  /** Session that its document lives in. */
  readonly session: string
  /** Session that its element lives in. */
  readonly ownerSession: string
}

interface FrameTree {
  readonly frame: { readonly id: string }
  readonly childFrames?: readonly FrameTree[]
}

/** The frames inside a page, of other sites too. */
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
    tab.warnings.add(`The page has ${frames.length} frames: those after the first ${maxFrames} were left out.`)
  }
  return frames.slice(0, maxFrames)
}
