import type { LimitedBy } from './concurrency-limit.ts'

/** The line of all work of a team on this node that waits for one of its slots. */
export interface TeamLine {
  /** Whether no work of the team waits. */
  readonly isLineEmpty: (teamId: string) => boolean
  /** Resolves when it is the turn of the caller, until the result is disposed of. */
  readonly awaitTurn: (teamId: string, signal: AbortSignal) => Promise<Disposable>
}

interface LineEntry {
  readonly left: AbortController
  turn: Disposable | undefined
}

/** While it is the turn of a session, milliseconds between attempts to get a slot of its team. */
const pollMs = 150

/**
 * Lets sessions and scrapes of a team take turns at its slots. While scrapes wait too, the sessions
 * have one place in their line: after each session they line up again.
 */
export class TeamTurns implements Disposable {
  readonly #line: TeamLine
  readonly #onTurn: () => void
  readonly #entries = new Map<string, LineEntry>()
  readonly #polls = new Map<string, NodeJS.Timeout>()

  /** `onTurn` is called when a session of a team may have its turn. */
  constructor(line: TeamLine, onTurn: () => void) {
    this.#line = line
    this.#onTurn = onTurn
  }

  /** Whether a session of the team may try to get a slot. If not, lines up for it. */
  hasTurn(teamId: string): boolean {
    const entry = this.#entries.get(teamId)
    if (entry !== undefined) return entry.turn !== undefined
    if (this.#line.isLineEmpty(teamId)) return true
    this.#lineUp(teamId)
    return false
  }

  /** Whether the sessions of the team have a place in its line. */
  isInLine(teamId: string): boolean {
    return this.#entries.has(teamId)
  }

  /** Ends a turn. A session that its team's limit refused keeps its place. */
  endTurn(teamId: string, limitedBy: LimitedBy | undefined): void {
    if (limitedBy !== 'team') return this.leave(teamId)
    if (!this.#entries.has(teamId)) return this.#lineUp(teamId)
    const poll = setTimeout(this.#onTurn, pollMs).unref()
    clearTimeout(this.#polls.get(teamId))
    this.#polls.set(teamId, poll)
  }

  /** Gives up the place of a team. */
  leave(teamId: string): void {
    const entry = this.#entries.get(teamId)
    this.#entries.delete(teamId)
    clearTimeout(this.#polls.get(teamId))
    this.#polls.delete(teamId)
    entry?.left.abort()
    entry?.turn?.[Symbol.dispose]()
  }

  /** Gives up all places, so that scrapes do not wait for a session that cannot start. */
  leaveAll(): void {
    for (const teamId of this.#entries.keys()) this.leave(teamId)
  }

  [Symbol.dispose](): void {
    this.leaveAll()
  }

  #lineUp(teamId: string): void {
    const entry: LineEntry = { left: new AbortController(), turn: undefined }
    this.#entries.set(teamId, entry)
    this.#line.awaitTurn(teamId, entry.left.signal).then(
      (turn) => {
        entry.turn = turn
        // It may have left at the same moment.
        if (entry.left.signal.aborted) turn[Symbol.dispose]()
        else this.#onTurn()
      },
      // It has left.
      () => undefined,
    )
  }
}
