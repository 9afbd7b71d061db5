import { BowlineError } from 'bowline/kit/errors'
import { listNodes, type NodeRow } from '../nodes/node-queries.ts'
import { deadAfterSeconds } from '../nodes/node-liveness.ts'
import type { Store } from '../store/store.ts'

/** Nodes whose last heartbeat is older than this, in milliseconds, are not compared. */
const deadAfterMs = deadAfterSeconds * 1000

/**
 * Throws CONFIG_INVALID if an older node on the same PostgreSQL uses other blob storage: each of
 * the two could not read what the other stored.
 */
export async function assertSharedBlobs(
  { kind, db }: Pick<Store, 'kind' | 'db'>,
  own: { readonly nodeId: string; readonly blobsId: string },
): Promise<void> {
  if (kind === 'pglite') return
  const nodes = await listNodes(db)
  // Compares times of the database: the clocks of the machines may differ.
  const newestMs = Math.max(0, ...nodes.map(({ heartbeatAt }) => heartbeatAt.getTime()))
  const ownIndex = nodes.findIndex(({ id }) => id === own.nodeId)
  // If two nodes start at once, the one that registered first stays.
  const older = ownIndex === -1 ? nodes : nodes.slice(0, ownIndex)
  const other = older.find(
    (node) =>
      node.id !== own.nodeId &&
      node.blobs !== undefined &&
      node.blobs !== own.blobsId &&
      newestMs - node.heartbeatAt.getTime() < deadAfterMs,
  )
  if (other !== undefined) throw separateBlobs(other, own.blobsId)
}

function separateBlobs(other: NodeRow, ownId: string): BowlineError {
  return new BowlineError(
    'CONFIG_INVALID',
    `The server ${other.url ?? other.id} on the same PostgreSQL stores files in ${describe(other.blobs)}, but this one in ` +
      `${describe(ownId)}. Neither can read the screenshots, recordings, files and profiles of the other`,
    {
      hint: 'Start all servers with the same `--blobs`: an S3 bucket such as s3://BUCKET/PREFIX, or a shared folder.',
    },
  )
}

function describe(blobs: string | undefined): string {
  return blobs?.startsWith('s3:') === true ? blobs : 'a folder that is not shared'
}
