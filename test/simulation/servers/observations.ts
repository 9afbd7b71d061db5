import type { SessionRow } from '../../../server/src/store/tables/sessions.ts'
import { BrokenLaw } from '../part.ts'
import type { VirtualTime } from '../virtual-time.ts'

/** A team of a simulation. */
export interface SimulatedTeam {
  readonly id: string
  readonly keyId: string
  readonly credits: number
  readonly limit: number
}

/** Observed moments of a session. */
export interface SessionObservation {
  readonly admittedAtMs: number
  /** When its browser was ready. */
  readonly startedAtMs: number
  /** When it cannot have lived any more: its server died, or its end was billed. */
  endedAtMs: number | undefined
  deletionRequestedAtMs: number | undefined
}

/** Events of a simulation, which its laws are about. */
export class Observations {
  readonly teams: SimulatedTeam[] = []
  readonly sessions = new Map<string, SessionObservation>()
  /** Charges that were confirmed, and those whose outcome is unknown, by subject. */
  readonly charges = new Map<string, { readonly credits: number; isConfirmed: boolean }>()
  readonly counts: Record<string, number> = {}
  /** Versions of profiles whose commit was confirmed, by profile. */
  readonly versions = new Map<string, number>()
  /** The first law that an event broke. */
  broken: BrokenLaw | undefined
  readonly #time: VirtualTime
  readonly #leases = new Map<string, number>()

  constructor(time: VirtualTime) {
    this.#time = time
  }

  get nowMs(): number {
    return this.#time.nowMs
  }

  count(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1
  }

  /** The browser of a session has started. */
  started(id: string, ageMs: number): void {
    const startedAtMs = this.nowMs
    const admittedAtMs = startedAtMs - ageMs
    this.sessions.set(id, { admittedAtMs, startedAtMs, endedAtMs: undefined, deletionRequestedAtMs: undefined })
  }

  /** A session cannot have lived longer than until now. */
  lived(id: string): void {
    const session = this.sessions.get(id)
    if (session !== undefined) session.endedAtMs ??= this.nowMs
  }

  /** A server has billed a session. */
  ended({ id, endReason }: SessionRow): void {
    this.lived(id)
    this.count(`session ended: ${endReason}`)
  }

  /** A writer has received the lease of a profile. */
  leased(profileId: string, fence: number): void {
    const before = this.#leases.get(profileId)
    this.#assert(before === undefined || fence > before, 'each lease has a newer fence', { fence, before })
    this.#leases.set(profileId, fence)
    this.count('lease')
  }

  /** A commit of a version was confirmed. */
  committed(profileId: string, fence: number, version: number): void {
    const newest = this.#leases.get(profileId)
    this.#assert(newest === fence, 'only the newest lease commits a version', { fence, newest })
    const before = this.versions.get(profileId) ?? 0
    this.#assert(version > before, 'versions of a profile increase', { version, before })
    this.versions.set(profileId, version)
    this.count('version')
  }

  /** Keeps the broken law for the end of the simulation: errors here go to the simulated server. */
  #assert(holds: boolean, law: string, facts: object): void {
    if (!holds) this.broken ??= new BrokenLaw(law, facts)
  }
}
