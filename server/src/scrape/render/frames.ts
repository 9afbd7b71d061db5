import type { CdpCall, Protocol } from '../../cdp/protocol.ts'
import type { Tab } from './tab.ts'

/** Maximum number of frames that are read per page. */
const maxFrames = 50

/** A frame of a page. */
export interface Frame {
  readonly frameId: string
  /** Frame of the document that contains its frame element. */
  readonly parentId: string
  readonly url: string
  /** Id of the request for its document. */
  readonly loaderId: string
  /** Calls the CDP session of its document. */
  readonly call: CdpCall
  /** Calls the CDP session of its frame element. */
  readonly callOwner: CdpCall
}

/**
 * Lists the frames of a page, including cross-origin ones. Omits frames that failed to load, in
 * which full Chromium shows an error page.
 */
export async function listFrames(tab: Tab): Promise<readonly Frame[]> {
  const attached = [...tab.attached.values()].filter(({ type }) => type === 'iframe')
  const local: Frame[] = []
  const remote: Frame[] = []
  const visit = (tree: Protocol.Page.FrameTree, call: CdpCall): void => {
    for (const { frame, childFrames = [] } of tree.childFrames ?? []) {
      const isRemote = attached.some(({ targetId }) => targetId === frame.id)
      if (!isRemote) local.push({ ...factsOf(frame), parentId: tree.frame.id, call, callOwner: call })
      visit({ frame, childFrames }, call)
    }
  }
  const main = await treeOf(tab.call)
  if (main !== undefined) visit(main, tab.call)
  for (const { targetId: frameId, cdpSessionId, parentCdpSessionId } of attached) {
    const call = tab.callIn(cdpSessionId)
    const tree = await treeOf(call)
    if (tree === undefined) continue
    const { parentId = tab.targetId } = tree.frame
    remote.push({ ...factsOf(tree.frame), frameId, parentId, call, callOwner: tab.callIn(parentCdpSessionId) })
    visit(tree, call)
  }
  const frames = [...local, ...remote].filter(({ url }) => !url.startsWith('chrome-error:'))
  if (frames.length > maxFrames) {
    tab.warnings.add(`The page has ${frames.length} frames: those after the first ${maxFrames} were omitted.`)
  }
  return frames.slice(0, maxFrames)
}

function factsOf({ id: frameId, url, loaderId }: Protocol.Page.Frame): Pick<Frame, 'frameId' | 'url' | 'loaderId'> {
  return { frameId, url, loaderId }
}

/** Returns the frames of a CDP session. A frame may disappear at any moment: `undefined` then. */
async function treeOf(call: CdpCall): Promise<Protocol.Page.FrameTree | undefined> {
  return call('Page.getFrameTree').then(
    ({ frameTree }) => frameTree,
    () => undefined,
  )
}
