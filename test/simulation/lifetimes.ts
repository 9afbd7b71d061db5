import type { LiveSession } from '../../server/src/sessions/live-session.ts'
import { SessionClock } from '../../server/src/sessions/session-clock.ts'
import { endOf, type Entry } from '../../server/src/sessions/session-entry.ts'
import type { SessionRow } from '../../server/src/store/tables/sessions.ts'
import type { Random } from '../lab/random.ts'
import { assertLaw, type OpenPart } from './part.ts'
import type { VirtualTime } from './virtual-time.ts'

/**
 * The lifetime of a session: `SessionClock` and `endOf`, with uses, hand-offs that suspend the idle
 * time, changes of the lifetime, jumps of the wall clock, and an end at a random moment.
 */
export const openLifetimes: OpenPart = async (time) => ({
  schedulesPerRun: 1,
  run: async (random) => simulateLifetime(time, random),
  [Symbol.asyncDispose]: async () => undefined,
})

/** Expected state of the clock of a session, from its documentation. */
interface Expected {
  ttlMs: number
  idleMs: number
  lastUseMs: number
  suspensions: number
}

function simulateLifetime(time: VirtualTime, random: Random): Readonly<Record<string, number>> {
  const startedAtMs = time.nowMs
  const ttlSeconds = random.whole(30, 120)
  const activityTtlSeconds = random.whole(10, 60)
  const row = { ttlSeconds, activityTtlSeconds, createdAt: new Date() } as SessionRow
  const ends: { readonly reason: string; readonly atMs: number }[] = []
  const expired = (reason: string): void => {
    ends.push({ reason, atMs: time.nowMs - startedAtMs })
    clock[Symbol.dispose]()
  }
  const clock = new SessionClock({ startedAtMs, row }, expired)
  const expected: Expected = {
    ttlMs: ttlSeconds * 1000,
    idleMs: activityTtlSeconds * 1000,
    lastUseMs: 0,
    suspensions: 0,
  }
  const resumes: (() => void)[] = []
  const counts: Record<string, number> = {}
  const actions = {
    use: () => {
      clock.touch()
      expected.lastUseMs = time.nowMs - startedAtMs
    },
    suspend: () => {
      resumes.push(clock.suspendIdle())
      expected.suspensions += 1
    },
    resume: () => {
      const resume = resumes.pop()
      if (resume === undefined) return
      resume()
      // A second call has no effect.
      resume()
      expected.suspensions -= 1
      expected.lastUseMs = time.nowMs - startedAtMs
    },
    change: () => {
      expected.ttlMs = random.whole(30, 180) * 1000
      expected.idleMs = random.whole(10, 60) * 1000
      clock.setTimes({ ttlSeconds: expected.ttlMs / 1000, activityTtlSeconds: expected.idleMs / 1000 })
    },
    'jump of the wall clock': () => {
      time.wallOffsetMs += random.pick([-1, 1]) * random.whole(1, 3_600_000)
    },
  }
  const names = Object.keys(actions) as (keyof typeof actions)[]
  for (let steps = random.whole(1, 12); steps > 0 && ends.length === 0; steps -= 1) {
    advance(time, random.whole(0, 20_000), { startedAtMs, expected, ends })
    if (ends.length > 0) break
    const name = random.pick(names)
    actions[name]()
    counts[name] = (counts[name] ?? 0) + 1
  }
  const browser = { unresponsiveMs: () => 0 }
  if (ends.length === 0 && random.whole(1, 3) === 1) {
    const entry = { session: { row, browser } as unknown as LiveSession, clock } as Entry
    const { durationMs } = endOf(entry, { reason: 'deleted' })
    assertLaw(durationMs === time.nowMs - startedAtMs, 'a session is billed for the time it lived', { durationMs })
    clock[Symbol.dispose]()
    time.advanceSync(400_000)
    assertLaw(ends.length === 0, 'a session that was deleted does not expire', { ends })
    return { ...counts, deleted: 1 }
  }
  if (ends.length === 0) {
    while (resumes.length > 0) actions.resume()
    advance(time, 400_000, { startedAtMs, expected, ends })
  }
  time.advanceSync(400_000)
  assertLaw(ends.length === 1, 'a session expires once', { ends })
  assertLaw(time.timers === 0, 'an expired session leaves no timer', { timers: time.timers })
  return { ...counts, expired: 1 }
}

/** Advances the time and checks that the session expires exactly when it has to. */
function advance(
  time: VirtualTime,
  ms: number,
  {
    startedAtMs,
    expected: { ttlMs, idleMs, lastUseMs, suspensions },
    ends,
  }: {
    readonly startedAtMs: number
    readonly expected: Expected
    readonly ends: readonly { readonly reason: string; readonly atMs: number }[]
  },
): void {
  const nowMs = time.nowMs - startedAtMs
  const idleEndMs = suspensions > 0 ? Infinity : lastUseMs + idleMs
  const endMs = Math.max(nowMs, Math.min(ttlMs, idleEndMs))
  time.advanceSync(ms)
  const [end] = ends
  if (endMs > nowMs + ms) return assertLaw(end === undefined, 'a session does not expire early', { end, endMs })
  assertLaw(end !== undefined, 'a session expires in time', { endMs })
  assertLaw(Math.abs(end.atMs - endMs) <= 1, 'a session expires when its time is over', { end, endMs })
  const isEither = Math.abs(ttlMs - idleEndMs) <= 1 || endMs > Math.min(ttlMs, idleEndMs)
  const reason = ttlMs < idleEndMs ? 'ttl' : 'idle'
  assertLaw(isEither || end.reason === reason, 'a session expires for the right reason', { end, ttlMs, idleEndMs })
}
