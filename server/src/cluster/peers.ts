import { BowlineError } from 'bowline/kit/errors'
import { listNodes, type NodeRow } from '../store/nodes.ts'
import type { Store } from '../store/store.ts'

/** Another server on the same database, reachable under `url`. */
export interface Peer {
  readonly id: string
  readonly url: string
}

/** What this node knows of the others. */
export interface Peers {
  /** The node with this id. Throws NODE_UNREACHABLE when it is gone or left no address. */
  readonly find: (nodeId: string) => Promise<Peer>
  /** The least loaded other node with a place free, if it is clearly less loaded than this one; else undefined. */
  readonly freest: (own: {
    readonly load: number
    readonly slots: number
    readonly isDraining: boolean
  }) => Promise<Peer | undefined>
  /** Has `freest` pass over a node that does not answer, until its heartbeats tell whether it is alive. */
  readonly avoid: (nodeId: string) => void
}

/** How long a list of nodes is trusted: loads are written with every heartbeat, each 5 s. */
const trustMs = 2000

/** Share of its places by which another node must be emptier before a session is handed over: handing over costs time, too. */
const worthwhile = 0.25

/** Nodes unheard of for longer than this get nothing handed over; they are struck off soon. */
const silentMs = 15_000

/** Reads the nodes from the store. In the embedded store there is no other, and it is not asked. */
export function createPeers(store: Store, nodeId: string): Peers {
  let known: { readonly atMs: number; readonly nodes: Promise<readonly NodeRow[]> } | undefined
  const everyone = async (mostAgeMs = trustMs): Promise<readonly NodeRow[]> => {
    if (store.kind === 'pglite') return []
    if (known === undefined || performance.now() - known.atMs >= mostAgeMs) {
      const nodes = listNodes(store.db)
      known = { atMs: performance.now(), nodes }
      nodes.catch(() => {
        known = undefined
      })
    }
    return known.nodes
  }
  const avoided = new Map<string, number>()
  const isAvoided = (id: string): boolean => performance.now() - (avoided.get(id) ?? -Infinity) < silentMs
  return {
    avoid: (id) => void avoided.set(id, performance.now()),
    find: async (id) => {
      const listed = (await everyone()).find((each) => each.id === id)
      // It may have come since they were read.
      const node = listed ?? (await everyone(0)).find((each) => each.id === id)
      if (node?.url !== undefined) return { id, url: node.url }
      throw unreachable(node === undefined ? 'is not running' : 'has no --node-url')
    },
    freest: async ({ load, slots, isDraining }) => {
      const nodes = await everyone()
      // By the clock of the database, of which the own heartbeat tells, too: with one other node it is all that does.
      const newestMs = Math.max(...nodes.map((node) => node.heartbeatAt.getTime()))
      const fits = (node: NodeRow): boolean =>
        node.id !== nodeId &&
        node.url !== undefined &&
        !node.draining &&
        !isAvoided(node.id) &&
        node.live < node.slots &&
        newestMs - node.heartbeatAt.getTime() < silentMs
      const [best] = nodes.filter(fits).sort((left, right) => left.live / left.slots - right.live / right.slots)
      if (best?.url === undefined) return undefined
      const isClearlyFreer = load / slots - best.live / best.slots > worthwhile
      return isDraining || load >= slots || isClearlyFreer ? { id: best.id, url: best.url } : undefined
    },
  }
}

/** The error for a node that does not answer. */
export function unreachable(why: string, cause?: unknown): BowlineError {
  return new BowlineError('NODE_UNREACHABLE', `The server that holds this session ${why}`, {
    retryAfterSeconds: 5,
    cause,
  })
}
