import { BowlineError } from 'bowline/kit/errors'
import { listNodes, type NodeRow } from '../store/nodes.ts'
import type { Store } from '../store/store.ts'

/** Milliseconds after which a node that was not heard of is not there to be compared with. */
const silentMs = 30_000

/**
 * Throws CONFIG_INVALID when an older node on the same PostgreSQL stores blobs in another place: what one of them stored
 * could not be read through the other.
 */
export async function assertSharedBlobs(
  { kind, db }: Pick<Store, 'kind' | 'db'>,
  own: { readonly nodeId: string; readonly blobsId: string },
): Promise<void> {
  if (kind === 'pglite') return
  const nodes = await listNodes(db)
  // By the clock of the database: those of the machines may differ.
  const newestMs = Math.max(0, ...nodes.map(({ heartbeatAt }) => heartbeatAt.getTime()))
  const ownIndex = nodes.findIndex(({ id }) => id === own.nodeId)
  // Of two that start at once, the one that registered first stays.
  const older = ownIndex === -1 ? nodes : nodes.slice(0, ownIndex)
  const other = older.find(
    (node) =>
      node.id !== own.nodeId &&
      node.blobs !== undefined &&
      node.blobs !== own.blobsId &&
      newestMs - node.heartbeatAt.getTime() < silentMs,
  )
  if (other !== undefined) throw separateBlobs(other, own.blobsId)
}

function separateBlobs(other: NodeRow, ownId: string): BowlineError {
  return new BowlineError(
    'CONFIG_INVALID',
    `The server ${other.url ?? other.id} on the same PostgreSQL stores files in ${describe(other.blobs)}, this one in ` +
      `${describe(ownId)}: screenshots, recordings, kept files and profiles of one could not be read through the other`,
    {
      hint: 'Start all servers with the same `--blobs`: an S3 bucket such as s3://BUCKET/PREFIX, or a folder that they share.',
    },
  )
}

function describe(blobs: string | undefined): string {
  return blobs?.startsWith('s3:') === true ? blobs : 'a folder that is not shared'
}
