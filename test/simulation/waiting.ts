import { TeamQueues } from '../../server/src/billing/team-queues.ts'
import { concurrencyLimit, type LimitedBy } from '../../server/src/sessions/concurrency-limit.ts'
import { drainingError } from '../../server/src/sessions/draining-error.ts'
import { SessionQueue } from '../../server/src/sessions/session-queue.ts'
import type { Random } from '../lab/random.ts'
import { assertLaw, BrokenLaw, type OpenPart } from './part.ts'
import type { VirtualTime } from './virtual-time.ts'

/**
 * The queue of requests for sessions: `SessionQueue`, `WaitingLines`, `TeamTurns` and `TeamQueues`,
 * with slow starts, failures, cancellations, and scrapes that want the same slots.
 */
export const openWaiting: OpenPart = async (time) => ({
  schedulesPerRun: 1,
  run: async (random) => new Simulation(time, random).run(),
  [Symbol.asyncDispose]: async () => undefined,
})

interface Team {
  readonly id: string
  readonly limit: number
  active: number
}

/** A request that waits. */
interface Waiting {
  readonly team: Team
  readonly key: string
  readonly number: number
  readonly enteredAtMs: number
  isTrying: boolean
}

/** Slots may stay free for an attempt, a tick and a poll, each of at most a second. */
const maxIdleMs = 4000

class Simulation {
  readonly #time: VirtualTime
  readonly #random: Random
  readonly #slots: number
  readonly #teams: readonly Team[]
  readonly #freed: ((teamId: string) => void)[] = []
  readonly #draining = new AbortController()
  readonly #queues = new TeamQueues()
  readonly #waiting = new Set<Waiting>()
  readonly #lastAdmitted = new Map<string, number>()
  /** Ends of requests by their outcome. */
  readonly #counts: Record<string, number> = {}
  readonly #idleSinceMs = new Map<Team, number>()
  readonly #queue: SessionQueue
  #active = 0
  #entered = 0
  #ended = 0
  #scrapes = 0
  #broken: BrokenLaw | undefined

  constructor(time: VirtualTime, random: Random) {
    this.#time = time
    this.#random = random
    this.#slots = random.whole(1, 4)
    this.#teams = Array.from({ length: random.whole(1, 3) }, (_, index) => {
      return { id: `team ${index}`, limit: random.whole(1, 3), active: 0 }
    })
    this.#queue = new SessionQueue({
      sessions: {
        draining: this.#draining.signal,
        onFreed: (listener) => void this.#freed.push(listener),
        leftMs: () => [],
      },
      billing: {
        isLineEmpty: (teamId) => this.#queues.isEmpty(teamId),
        awaitTurn: async (teamId, signal) => this.#queues.awaitTurn(teamId, signal),
      },
      onLeave: () => undefined,
      onError: (error) => {
        throw error
      },
    })
  }

  async run(): Promise<Readonly<Record<string, number>>> {
    const requests = this.#random.whole(2, 12)
    for (let number = 0; number < requests; number += 1) {
      const team = this.#random.pick(this.#teams)
      if (this.#random.whole(1, 5) === 1) void this.#scrape(team)
      else void this.#enter(team, number)
      await this.#advance(this.#random.whole(0, 3000))
    }
    if (this.#random.whole(1, 8) === 1) this.#draining.abort()
    for (let seconds = 0; seconds < 200 && this.#ended < this.#entered; seconds += 1) await this.#advance(1000)
    assertLaw(this.#ended === this.#entered, 'every request leaves the queue', { left: this.#entered - this.#ended })
    assertLaw(this.#queue.length === 0, 'the queue is empty when all requests have left')
    for (let seconds = 0; seconds < 60 && this.#active + this.#scrapes > 0; seconds += 1) await this.#advance(1000)
    assertLaw(this.#active === 0, 'all slots are free in the end')
    await this.#advance(4000)
    assertLaw(this.#time.timers === 0, 'the queue leaves no timer', { timers: this.#time.timers })
    this.#queue[Symbol.dispose]()
    for (const { id } of this.#teams)
      assertLaw(this.#queues.isEmpty(id), 'no place in the line of a team is left', { id })
    return this.#counts
  }

  /** Advances in small steps, and checks that no slot stays free while a request waits for it. */
  async #advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 500) {
      await this.#time.advance(Math.min(500, left))
      if (this.#broken !== undefined) throw this.#broken
      for (const team of this.#teams) this.#checkIdle(team)
    }
    if (ms === 0) await this.#time.settle()
  }

  #checkIdle(team: Team): void {
    const { nowMs } = this.#time
    const waits = [...this.#waiting].some((each) => each.team === team && !each.isTrying)
    const isFree = this.#active < this.#slots && team.active < team.limit && !this.#draining.signal.aborted
    if (!waits || !isFree) return void this.#idleSinceMs.delete(team)
    const sinceMs = this.#idleSinceMs.get(team) ?? nowMs
    this.#idleSinceMs.set(team, sinceMs)
    assertLaw(nowMs - sinceMs <= maxIdleMs, 'no slot stays free while a request waits for it', {
      seconds: (nowMs - sinceMs) / 1000,
    })
  }

  /** Returns which limit refuses a session, or takes a slot. */
  #take(team: Team): LimitedBy | undefined {
    if (this.#active >= this.#slots) return 'server'
    if (team.active >= team.limit) return 'team'
    this.#active += 1
    team.active += 1
    return undefined
  }

  #free(team: Team): void {
    this.#active -= 1
    team.active -= 1
    // Sessions of other servers end without notice.
    if (this.#random.whole(1, 4) > 1) for (const listener of this.#freed) listener(team.id)
  }

  async #enter(team: Team, number: number): Promise<void> {
    const random = this.#random
    const key = `${team.id} key ${random.whole(1, 2)}`
    const waitMs = random.whole(1, 60) * 1000
    const cancel = new AbortController()
    const waiting: Waiting = { team, key, number, enteredAtMs: this.#time.nowMs, isTrying: false }
    this.#waiting.add(waiting)
    this.#entered += 1
    const cancelMs = random.whole(1, 6) === 1 ? random.whole(0, 40_000) : undefined
    const cancelTimer = cancelMs && setTimeout(() => cancel.abort(new Error('cancelled')), cancelMs)
    const limit = random.pick(['server', 'team'] as const)
    const outcome = await this.#queue
      .enter({
        teamId: team.id,
        apiKeyId: key,
        idempotencyKey: undefined,
        refusal: concurrencyLimit({ limitedBy: limit, limit: 1 }, 1),
        waitMs,
        signal: cancel.signal,
        assertAllowed: async () => undefined,
        attempt: async (onAdmitted) => this.#attempt(waiting, onAdmitted),
        handOver: async () => Promise.reject(drainingError()),
      })
      .then(
        () => 'created',
        (error: unknown) => (error instanceof Error ? error.message : String(error)).replace(/\. No slot.*/s, ''),
      )
    clearTimeout(cancelTimer)
    this.#waiting.delete(waiting)
    this.#ended += 1
    const kind = /created|cancelled|failed to start|draining/i.exec(outcome)?.[0] ?? 'timeout'
    this.#counts[kind] = (this.#counts[kind] ?? 0) + 1
    // An attempt in progress is not ended, because it may have a session.
    const longestMs = waitMs + maxStartMs
    assertLaw(this.#time.nowMs - waiting.enteredAtMs <= longestMs, 'no request waits longer than it wants', { waitMs })
  }

  async #attempt(waiting: Waiting, onAdmitted: () => void): Promise<string> {
    const { team, key, number } = waiting
    const random = this.#random
    waiting.isTrying = true
    try {
      await delay(random.whole(0, 200))
      const limitedBy = this.#take(team)
      if (limitedBy !== undefined) throw concurrencyLimit({ limitedBy, limit: 1 }, 1)
      const last = this.#lastAdmitted.get(key) ?? -1
      // Thrown later: the error of an attempt goes to its client.
      if (last > number) this.#broken ??= new BrokenLaw('the requests of a key are served in order', { last, number })
      this.#lastAdmitted.set(key, number)
      if (random.whole(1, 2) === 1) onAdmitted()
      await delay(random.whole(0, maxStartMs - 200))
      if (random.whole(1, 10) === 1) {
        this.#free(team)
        throw new Error('The browser failed to start')
      }
      setTimeout(() => this.#free(team), random.whole(1, 20_000))
      return 'session'
    } finally {
      waiting.isTrying = false
    }
  }

  /** Work of a team that waits in the same line, and polls for a slot when it has its turn. */
  async #scrape(team: Team): Promise<void> {
    const random = this.#random
    const untilMs = this.#time.nowMs + 30_000
    this.#scrapes += 1
    await this.#queues.wait(team.id, { untilMs }, async () => {
      while (this.#time.nowMs < untilMs) {
        if (team.active < team.limit) {
          team.active += 1
          // A scrape takes a slot of its team, but none of the server, and frees it without notice.
          setTimeout(() => void (team.active -= 1), random.whole(100, 3000))
          return
        }
        await delay(150)
      }
    })
    this.#scrapes -= 1
  }
}

/** Maximum time of an attempt in milliseconds. */
const maxStartMs = 2500

async function delay(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
