import type { AuditLog } from '../audit/audit-log.ts'
import { assertSharedBlobs } from '../cluster/assert-shared-blobs.ts'
import { registerThisNode, startHeartbeat, type HeartbeatDeps } from '../cluster/heartbeat.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Services } from './open-services.ts'
import { removeNode } from '../nodes/node-queries.ts'
import type { SharedDeps } from './shared-deps.ts'

/** The node that joins, with the parts of the server its heartbeat reports on. */
export interface JoiningNode {
  /** URL at which other servers reach it. */
  readonly nodeUrl: string
  readonly bootstrapKeyId: string
  readonly blobsId: string
  readonly sessions: Sessions
  readonly services: Pick<Services, 'sessionWebhooks'>
  /** Stack for the heartbeat. It is disposed after the sessions have ended. */
  readonly heartbeatResources: AsyncDisposableStack
  readonly audit: AuditLog
}

/**
 * Registers this node in the store and starts its heartbeat. Returns the prefixes of the bootstrap
 * keys this start retired. Throws CONFIG_INVALID if an older node uses other blob storage.
 */
export async function joinCluster(
  deps: SharedDeps,
  { nodeUrl, bootstrapKeyId, blobsId, sessions, services, heartbeatResources, audit }: JoiningNode,
): Promise<readonly string[]> {
  const { store, profiles, prices, nodeId, maxSessions, writes, onEnd, onError } = deps
  const onRetired: HeartbeatDeps['onRetired'] = (keys) => {
    const message = 'Retired a bootstrap key that no server uses any more'
    for (const { id: keyId, prefix } of keys) {
      void audit.record({ action: 'key.retired', message, details: { keyId, prefix } })
    }
  }
  const onBeat = (error: unknown): void => writes.note(error)
  const node: HeartbeatDeps = {
    store,
    profiles,
    prices,
    webhooks: services.sessionWebhooks,
    nodeId,
    maxSessions,
    onEnd,
    onError,
    nodeUrl,
    bootstrapKeyId,
    blobsId,
    onRetired,
    onBeat,
  }
  heartbeatResources.defer(async () => removeNode(store.db, nodeId))
  const retired = await registerThisNode(node)
  onRetired(retired)
  onBeat(undefined)
  // Another server may have started at the same time with other blobs.
  await assertSharedBlobs(store, { nodeId, blobsId })
  heartbeatResources.use(startHeartbeat(node, sessions))
  return retired.map(({ prefix }) => prefix)
}
