import type { Browser } from '../browsers/launch.ts'
import { judgeCommand } from '../gateway/policy.ts'
import type { Refuse } from '../live/navigate-tab.ts'

/** Applies the command policy of the gateway to the commands that viewers cause in a browser. */
export function viewerPolicy({
  binary,
  folder,
  targetKinds,
  extensionIds,
}: Pick<Browser, 'binary' | 'folder' | 'targetKinds' | 'extensionIds'>): Refuse {
  // Viewers control pages and never choose a CDP session.
  const kindOfSession = (): undefined => undefined
  const { downloadsDir, uploadsDir } = folder.visiblePaths
  const opensDroppedFiles = binary.kind === 'shell'
  const { kindOf: kindOfTarget } = targetKinds
  const policy = { downloadsDir, uploadsDir, extensionIds, opensDroppedFiles, kindOfSession, kindOfTarget }
  return ({ method, params }) => {
    const verdict = judgeCommand({ id: 0, method, params }, policy)
    return verdict.kind === 'refuse' ? verdict.message : undefined
  }
}
