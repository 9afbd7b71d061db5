import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { endLostSessions } from '../../../src/server/sessions/recovery.ts'
import { chargeOnce, refund } from '../../../src/server/store/charges.ts'
import { listLedger } from '../../../src/server/store/ledger.ts'
import { recordScrape } from '../../../src/server/store/scrapes.ts'
import { admitSession, endSession } from '../../../src/server/store/sessions.ts'
import type { KeyRow } from '../../../src/server/store/keys.ts'
import type { Store } from '../../../src/server/store/store.ts'
import { findTeam } from '../../../src/server/store/teams.ts'
import { defaultPrices } from '../../../src/server/usage/prices.ts'
import { WorkPermits } from '../../../src/server/usage/work-permits.ts'
import { createRandom, type Random } from '../../lab/random.ts'
import { describeEachStore } from '../../lab/stores.ts'
import { makeTeam, newSession } from '../store/world.ts'

interface Site {
  readonly store: Store
  readonly random: Random
  readonly key: KeyRow
  readonly permits: WorkPermits
}

/** A scrape: it fails, or comes to less, as much or more than was thought. */
const scrape = async ({ store, random, key, permits }: Site): Promise<void> => {
  const credits = random.whole(1, 5)
  await using permit = await permits.acquire({ teamId: key.teamId, credits, waitMs: 60_000 })
  await setImmediate()
  if (random.whole(0, 3) === 0) return
  const bill = { id: uuidV7(), teamId: key.teamId, apiKeyId: key.id, credits: credits + random.whole(-1, 3) }
  if (await recordScrape(store.db, bill, undefined, permit.holdId)) permit.settled()
}

const session = async ({ store, random, key }: Site): Promise<void> => {
  const wanted = newSession(key, { reservedCredits: random.whole(2, 8) })
  const { outcome } = await admitSession(store.db, wanted)
  if (outcome !== 'admitted') return
  const credits = random.whole(0, wanted.reservedCredits)
  const ending = { id: wanted.id, reason: 'deleted', status: 'destroyed', endedAt: new Date(), durationMs: 1 } as const
  await endSession(store.db, { ...ending, credits })
}

const map = async ({ store, random, key }: Site): Promise<void> => {
  const charge = { teamId: key.teamId, apiKeyId: key.id, kind: 'map', subjectId: uuidV7(), credits: random.whole(1, 3) }
  await chargeOnce(store.db, charge)
  if (random.whole(0, 2) === 0) await refund(store.db, charge)
}

const isRefusal = (error: unknown): boolean =>
  Error.isError(error) && 'code' in error && error.code === 'INSUFFICIENT_CREDITS'

describeEachStore('credits', (openStore) => {
  test.each([1, 2])(
    'are never overspent by work of every kind at once, and nothing stays set aside (seed %i)',
    async (seed) => {
      await using store = await openStore()
      const random = createRandom(seed)
      const given = 120
      const { team, key } = await makeTeam(store.db, { credits: given, maxSessions: 6 })
      const nodes = [uuidV7(), uuidV7()].map((nodeId) => new WorkPermits({ store, nodeId }))
      const done = new AbortController()
      const watch = async (): Promise<void> => {
        while (!done.signal.aborted) {
          const { credits = 0, reservedCredits, activeSessions, activeScrapes } = (await findTeam(store.db, team.id))!
          expect(credits).toBeGreaterThanOrEqual(reservedCredits)
          expect(activeSessions + activeScrapes).toBeLessThanOrEqual(6)
          await setImmediate()
        }
      }
      const watching = watch()

      await Promise.all(
        Array.from({ length: 60 }, async () => {
          const work = random.pick([scrape, scrape, session, map])
          await work({ store, random, key, permits: random.pick(nodes) }).catch((error: unknown) => {
            if (!isRefusal(error)) throw error
          })
        }),
      )
      done.abort()
      await watching

      const spent = (await listLedger(store.db, { teamId: team.id, limit: 1000 })).reduce(
        (sum, { credits }) => sum + credits,
        0,
      )
      expect(spent).toBeGreaterThan(given / 2)
      expect(await findTeam(store.db, team.id)).toMatchObject({
        credits: given - spent,
        reservedCredits: 0,
        activeSessions: 0,
        activeScrapes: 0,
      })
    },
  )

  test('that the work of a dead server had set aside come back once', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db, { credits: 10 })
    const nodeId = uuidV7()
    const permits = new WorkPermits({ store, nodeId })
    const lost = await permits.acquire({ teamId: team.id, credits: 4, waitMs: 0 })
    const late = await permits.acquire({ teamId: team.id, credits: 3, waitMs: 0 })

    await endLostSessions({ store, prices: defaultPrices }, nodeId, undefined)
    await lost[Symbol.asyncDispose]()
    expect(await findTeam(store.db, team.id)).toMatchObject({ credits: 10, reservedCredits: 0, activeScrapes: 0 })

    // It was not dead after all: its work is billed as if nothing had been set aside.
    const bill = { id: uuidV7(), teamId: team.id, apiKeyId: key.id, credits: 3 }
    expect(await recordScrape(store.db, bill, undefined, late.holdId)).toBe(true)
    expect(await findTeam(store.db, team.id)).toMatchObject({ credits: 7, reservedCredits: 0, activeScrapes: 0 })
  })

  test('are no concern of a team without limits: nothing is written, nor asked again soon', async () => {
    await using store = await openStore()
    const { team } = await makeTeam(store.db)
    const permits = new WorkPermits({ store, nodeId: uuidV7() })

    await using first = await permits.acquire({ teamId: team.id, credits: 5, waitMs: 0 })
    await using second = await permits.acquire({ teamId: team.id, credits: 5, waitMs: 0 })

    expect([first.holdId, second.holdId]).toEqual([undefined, undefined])
    expect(permits.running(team.id)).toBe(2)
    expect(await findTeam(store.db, team.id)).toMatchObject({ reservedCredits: 0, activeScrapes: 0 })
  })
})
