import type { Logger } from 'pino'
import { assertSharedBlobs } from '../cluster/assert-shared-blobs.ts'
import type { ServerConfig } from '../config.ts'
import { enterNode, startHeartbeat, type HeartbeatDeps } from '../sessions/heartbeat.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { removeNode } from '../store/nodes.ts'
import type { Parts } from './prepare-sessions.ts'

/** What a node joins the others with. */
export interface JoiningNode {
  /** Address it listens on. */
  readonly url: string
  readonly blobsId: string
  readonly sessions: Sessions
  /** Takes what tells the store that this node lives. */
  readonly beating: AsyncDisposableStack
  readonly log: Logger
}

/**
 * Registers this node in the store and starts its heartbeat. Returns the first characters of the bootstrap keys that this
 * start has retired. Throws CONFIG_INVALID when an older node uses other blobs.
 */
export async function joinCluster(
  { nodeUrl }: ServerConfig,
  deps: Parts,
  { url, blobsId, sessions, beating, log }: JoiningNode,
): Promise<readonly string[]> {
  const { store, nodeId, bootstrapKey } = deps
  const onRetired: HeartbeatDeps['onRetired'] = (keys) => {
    for (const { id: keyId, prefix } of keys) {
      log.warn({ audit: 'key.retired', keyId, prefix }, 'No server is configured with this bootstrap key any more')
    }
  }
  const onBeat = (error: unknown): void => deps.writes.note(error)
  const node = { ...deps, nodeUrl: nodeUrl ?? url, bootstrapKeyId: bootstrapKey.id, blobsId, onRetired, onBeat }
  beating.defer(async () => removeNode(store.db, nodeId))
  const retired = await enterNode(node)
  onRetired(retired)
  // Another server may have started at the same time.
  await assertSharedBlobs(store, { nodeId, blobsId })
  beating.use(startHeartbeat(node, sessions))
  return retired.map(({ prefix }) => prefix)
}
