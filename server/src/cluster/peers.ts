import { BowlineError } from 'bowline/kit/errors'
import { deriveToken } from 'bowline/kit/ids'
import { unresponsiveAfterSeconds } from '../nodes/node-liveness.ts'
import { listNodes, type NodeRow } from '../nodes/node-queries.ts'
import type { Store } from '../store/store.ts'
import { choosePeer, type ChooseOptions, type OwnLoad } from './choose-peer.ts'

/** Another server on the same database. */
export interface Peer {
  readonly id: string
  readonly url: string
}

/** Whether another node accepts work, only ends it, or has sent no heartbeat lately. */
export type PeerState = 'running' | 'draining' | 'silent'

/** Finds other nodes of the cluster. */
export interface Peers {
  /** Finds the node with this id. Throws NODE_UNREACHABLE if it is gone or has no URL. */
  readonly find: (nodeId: string) => Promise<Peer>
  /**
   * Finds another node by its tag. Undefined for unknown tags, the tag of this node, and nodes
   * without URL.
   */
  readonly findByTag: (tag: string) => Promise<Peer | undefined>
  /** Chooses the node for a new session. Undefined: it should start on this node. */
  readonly choose: (own: Omit<OwnLoad, 'id'>, options?: ChooseOptions) => Promise<Peer | undefined>
  /** Returns the state of another node, read from the store now. */
  readonly stateOf: (nodeId: string) => Promise<PeerState>
  /** Counts the other nodes that accept sessions. */
  readonly count: () => Promise<number>
  /**
   * Makes `choose` skip a node that does not respond, until its heartbeats show whether it is
   * alive.
   */
  readonly avoid: (nodeId: string) => void
}

/** How long a list of nodes is cached. Nodes write their load with every heartbeat, each 5 s. */
const cacheMs = 2000

/** Nodes with an older heartbeat get no sessions. They are removed from the list soon. */
const heartbeatTimeoutMs = unresponsiveAfterSeconds * 1000

/**
 * Creates the lookup of other nodes in the store. The embedded store has no other nodes and is not
 * queried.
 */
export function createPeers(store: Store, nodeId: string): Peers {
  let cached: { readonly atMs: number; readonly nodes: Promise<readonly NodeRow[]> } | undefined
  const listCached = async (maxAgeMs = cacheMs): Promise<readonly NodeRow[]> => {
    if (store.kind === 'pglite') return []
    if (cached === undefined || performance.now() - cached.atMs >= maxAgeMs) {
      const nodes = listNodes(store.db)
      cached = { atMs: performance.now(), nodes }
      nodes.catch(() => {
        cached = undefined
      })
    }
    return cached.nodes
  }
  const avoided = new Map<string, number>()
  const isAvoided = (id: string): boolean => performance.now() - (avoided.get(id) ?? -Infinity) < heartbeatTimeoutMs
  // Sessions that a node has got from here are not in its load until its next heartbeat.
  const sent = new Map<string, { readonly heartbeatAt: number; readonly sessions: number }>()
  const sentTo = ({ id, heartbeatAt }: NodeRow): number => {
    const last = sent.get(id)
    return last?.heartbeatAt === heartbeatAt.getTime() ? last.sessions : 0
  }
  const withSent = (node: NodeRow): NodeRow => ({ ...node, live: node.live + sentTo(node) })
  const listRunning = async (): Promise<readonly NodeRow[]> => {
    const nodes = await listCached()
    return nodes.filter((node) => node.id !== nodeId && node.url !== undefined && stateIn(nodes, node.id) === 'running')
  }
  return {
    avoid: (id) => void avoided.set(id, performance.now()),
    find: async (id) => {
      const listed = (await listCached()).find((each) => each.id === id)
      // The node may have started after the list was read.
      const node = listed ?? (await listCached(0)).find((each) => each.id === id)
      if (node?.url !== undefined) return { id, url: node.url }
      throw unreachable(node === undefined ? 'is not running' : 'has no URL; start it with --node-url')
    },
    findByTag: async (tag) => {
      if (tag === tagOfNode(nodeId)) return undefined
      const node = (await listCached()).find(({ id }) => tagOfNode(id) === tag)
      return node?.url === undefined ? undefined : { id: node.id, url: node.url }
    },
    choose: async (own, options) => {
      const peers = (await listRunning()).filter(({ id }) => !isAvoided(id)).map(withSent)
      const peer = choosePeer({ ...own, id: nodeId }, peers, options)
      if (peer?.url === undefined) return undefined
      sent.set(peer.id, { heartbeatAt: peer.heartbeatAt.getTime(), sessions: sentTo(peer) + 1 })
      return { id: peer.id, url: peer.url }
    },
    stateOf: async (id) => stateIn(await listCached(0), id),
    count: async () => (await listRunning()).length,
  }
}

function stateIn(nodes: readonly NodeRow[], id: string): PeerState {
  // Measured by the newest heartbeat, since clocks of machines may differ.
  const newestMs = Math.max(...nodes.map((node) => node.heartbeatAt.getTime()))
  const node = nodes.find((each) => each.id === id)
  if (node === undefined || newestMs - node.heartbeatAt.getTime() >= heartbeatTimeoutMs) return 'silent'
  return node.draining ? 'draining' : 'running'
}

/** Returns a short name of a node for clients, who must not know its id. */
export function tagOfNode(nodeId: string): string {
  return deriveToken(nodeId, 'tag').slice(0, 10)
}

/** Creates the error for a node that does not respond. */
export function unreachable(problem: string, cause?: unknown): BowlineError {
  return new BowlineError('NODE_UNREACHABLE', `The server that runs this session ${problem}`, {
    retryAfterSeconds: 5,
    cause,
  })
}
