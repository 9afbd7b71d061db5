import type { AttachedTarget } from './targets.ts'

/**
 * Returns a key of a request that is unique in its browser. The ids of most requests are unique
 * only within a target. Those of documents and scripts of workers are random: such a request starts
 * in the session of a page, and ends in that of the frame or worker.
 */
export function requestKeyOf(
  { cdpSessionId }: Pick<AttachedTarget, 'cdpSessionId'>,
  { requestId }: { readonly requestId: string },
): string {
  return /^[\dA-F]{32}$/.test(requestId) ? requestId : `${cdpSessionId} ${requestId}`
}
