import { rethrowAbort } from 'bowline/kit/abort'
import { evaluateText } from './evaluate.ts'
import { listFrames, type Frame } from './frames.ts'
import type { NavigationWatch } from './navigate.ts'
import type { Tab } from './tab.ts'

/**
 * Returns a warning about a page whose own document, or the document of a visible frame, has not
 * loaded. Other requests that never end do not count: pages may poll, and images may be missing.
 */
export async function unloadedWarning(tab: Tab, { loadingFrames }: NavigationWatch): Promise<string | undefined> {
  if (loadingFrames.size === 0) return undefined
  try {
    const isLoading = [...loadingFrames.values()].includes(tab.targetId) && (await hasLoadingDocument(tab))
    if (isLoading) return 'The page was read before it had loaded completely. To wait longer, raise `timeout`.'
    const frames = await listFrames(tab)
    const unloaded = await Promise.all(frames.map(async (frame) => isUnloaded(frame, loadingFrames)))
    const count = unloaded.filter(Boolean).length
    if (count === 0) return undefined
    const which = count === 1 ? 'one of its frames' : `${count} of its frames`
    return `The page was read before ${which} had loaded. To wait longer, raise \`timeout\` or \`waitFor\`.`
  } catch (error) {
    // The page is navigating.
    rethrowAbort(tab.signal, error)
    return undefined
  }
}

async function hasLoadingDocument(tab: Tab): Promise<boolean> {
  return (await evaluateText(tab, '() => document.readyState')) === 'loading'
}

/** URLs of frames before their first document. */
const initialUrls: ReadonlySet<string> = new Set(['', ':', 'about:blank'])

/** Whether a visible frame has no document yet, or only a part of it. */
async function isUnloaded(
  { frameId, url, loaderId, callOwner }: Frame,
  loadingFrames: NavigationWatch['loadingFrames'],
): Promise<boolean> {
  const requests = [...loadingFrames].filter(([, id]) => id === frameId).map(([requestId]) => requestId)
  if (requests.length === 0) return false
  // A frame that shows a document while it requests another one is not empty.
  if (!initialUrls.has(url) && !requests.includes(loaderId)) return false
  try {
    const { backendNodeId } = await callOwner('DOM.getFrameOwner', { frameId })
    const { model } = await callOwner('DOM.getBoxModel', { backendNodeId })
    return model.width > 1 && model.height > 1
  } catch {
    // The frame has no box, or has disappeared.
    return false
  }
}
