import { commitVersion } from '../../../server/src/profiles/profile-queries.ts'
import { releaseLease, takeLease } from '../../../server/src/profiles/lease-queries.ts'
import type { NewSession } from '../../../server/src/sessions/admit-session.ts'
import { createSessionRequest } from '../../../src/contract/session-options.ts'
import { uuidV7 } from '../../../src/kit/ids.ts'
import type { Random } from '../../lab/random.ts'
import type { Observations, SimulatedTeam } from './observations.ts'
import type { SimulatedServer } from './server.ts'

/** Dependencies of the clients of a team. */
export interface ClientDeps {
  readonly team: SimulatedTeam
  readonly random: Random
  /** Dead servers are replaced. */
  readonly servers: readonly SimulatedServer[]
  readonly observations: Observations
}

type Action = (deps: ClientDeps, server: SimulatedServer) => Promise<void>

/** Does random things at random moments, each on a random server. */
export async function simulateTeam(deps: ClientDeps): Promise<void> {
  const { random, servers, observations } = deps
  const actions: readonly Action[] = [useSession, useSession, doWork, writeProfile]
  for (let count = random.whole(2, 6); count > 0; count -= 1) {
    await delay(random.whole(0, 15_000))
    const server = random.pick(servers)
    if (server.connection.state !== 'running') continue
    const action = random.pick(actions)
    void server.run(async () => action(deps, server)).catch(() => observations.count('refused'))
  }
}

async function useSession({ team, random, observations }: ClientDeps, server: SimulatedServer): Promise<void> {
  const request = createSessionRequest.parse({ ttl: random.whole(30, 60), activityTtl: random.whole(10, 40) })
  const idempotencyKey = random.whole(1, 2) === 1 ? `key ${random.whole(1, 3)}` : undefined
  const newSession: NewSession = { teamId: team.id, apiKeyId: team.keyId, request, idempotencyKey }
  const { id } = await server.sessions.create(newSession)
  const observed = observations.sessions.get(id)
  observations.count('session created')
  for (let uses = random.whole(0, 4); uses > 0; uses -= 1) {
    await delay(random.whole(100, 12_000))
    server.sessions.find(id)?.touch()
  }
  const end = random.pick(['delete', 'delete twice', 'crash', 'leave'] as const)
  if (end === 'crash') server.crash(id)
  if (end === 'leave' || end === 'crash') return
  if (observed !== undefined) observed.deletionRequestedAtMs ??= observations.nowMs
  const deletions = Array.from({ length: end === 'delete' ? 1 : 2 }, async () => server.sessions.end(id, 'deleted'))
  await Promise.all(deletions)
}

async function doWork({ team, random, observations }: ClientDeps, { billing }: SimulatedServer): Promise<void> {
  const credits = random.whole(1, 5)
  await using hold = await billing.reserve(
    { teamId: team.id, credits, takesSlot: true },
    { waitMs: random.whole(0, 5000) },
  )
  await delay(random.whole(0, 8000))
  if (random.whole(1, 4) === 1) {
    observations.count('work released')
    return
  }
  const subjectId = uuidV7()
  const charge = { credits: Math.max(0, credits + random.whole(-2, 1)), isConfirmed: false }
  observations.charges.set(subjectId, charge)
  await billing.settle(hold, {
    teamId: team.id,
    apiKeyId: team.keyId,
    kind: 'scrape',
    subjectId,
    credits: charge.credits,
  })
  charge.isConfirmed = true
  observations.count('work billed')
}

async function writeProfile({ team, random, observations }: ClientDeps, server: SimulatedServer): Promise<void> {
  const { store, nodeId, leases } = server
  const take = async () => takeLease(store.db, { teamId: team.id, name: 'profile', nodeId })
  let taken = await take()
  // Waits until the lease is free, as clients do.
  for (let retries = 0; 'holder' in taken && retries < 10; retries += 1) {
    observations.count('lease refused')
    await delay(4000)
    taken = await take()
  }
  if ('holder' in taken) return
  const lease = { profileId: taken.profile.id, fence: taken.profile.fence }
  observations.leased(lease.profileId, lease.fence)
  leases.add(lease)
  try {
    await delay(random.whole(100, 40_000))
    if (random.whole(1, 5) === 1) return await releaseLease(store.db, lease)
    const version = {
      blob: uuidV7(),
      keyId: 'key',
      storedBytes: 1,
      contentBytes: 1,
      browser: 'B/1',
      sessionId: undefined,
    }
    const saved = await commitVersion(store.db, lease, version)
    if (saved === undefined) observations.count('commit refused')
    else observations.committed(lease.profileId, lease.fence, saved.version)
  } finally {
    leases.delete(lease)
  }
}

async function delay(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
