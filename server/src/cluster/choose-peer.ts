import type { MachineUse } from '../nodes/machine-use.ts'

/** Properties of a server that decide whether it gets a session. */
export interface NodeLoad extends MachineUse {
  readonly id: string
  /** Live and starting sessions. */
  readonly live: number
  /** Maximum number of sessions. */
  readonly slots: number
}

/** This server, which was asked for a session. */
export interface OwnLoad extends NodeLoad {
  readonly isDraining: boolean
}

/** Options of `choosePeer`. */
export interface ChooseOptions {
  /** The server that has the profile of the session on its disk. */
  readonly profileNodeId?: string | undefined
  /** Whether the session can wait for a slot of a full server if all are full. Default: false. */
  readonly canWait?: boolean | undefined
  /** Returns a number from 0 to 1, exclusive. Default: `Math.random`. */
  readonly random?: (() => number) | undefined
}

/**
 * Minimum difference in load at which a new session is relayed to another server, because relaying
 * also takes time.
 */
const minLoadDifference = 0.25

/** A machine that uses more of its memory gets sessions only if there is no other. */
const maxMemoryUsed = 0.95

/**
 * Chooses the server for a new session from the others that accept sessions. Returns `undefined` if
 * it should start on this one. A session with a profile starts where the profile is, unless that
 * server is full. Other sessions start on the less loaded of two random servers: if all chose the
 * least loaded one, it would get too many sessions until its next heartbeat.
 */
export function choosePeer<Node extends NodeLoad>(
  own: OwnLoad,
  peers: readonly Node[],
  { profileNodeId, canWait = false, random = Math.random }: ChooseOptions = {},
): Node | undefined {
  const mustLeave = own.isDraining || isFull(own)
  if (profileNodeId === own.id && !mustLeave) return undefined
  const withRoom = peers.filter((peer) => !isFull(peer))
  const free = withRoom.length === 0 && canWait ? peers : withRoom
  const holder = free.find(({ id }) => id === profileNodeId)
  if (holder !== undefined) return holder
  const [first, second] = pickTwo(free, random)
  const best = second !== undefined && first !== undefined && loadOf(second) < loadOf(first) ? second : first
  if (best === undefined) return undefined
  return mustLeave || loadOf(own) - loadOf(best) > minLoadDifference ? best : undefined
}

function isFull({ live, slots, memoryUsed }: NodeLoad): boolean {
  return live >= slots || memoryUsed > maxMemoryUsed
}

/** The shares of used slots, memory and processors, added up. */
function loadOf({ live, slots, memoryUsed, cpuUsed }: NodeLoad): number {
  return live / slots + memoryUsed + cpuUsed
}

function pickTwo<Node>(nodes: readonly Node[], random: () => number): readonly Node[] {
  const first = Math.floor(random() * nodes.length)
  const rest = nodes.filter((_, index) => index !== first)
  return [...nodes.slice(first, first + 1), ...rest.slice(Math.floor(random() * rest.length)).slice(0, 1)]
}
