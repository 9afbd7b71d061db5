import { uuidV7 } from '../../../src/kit/ids.ts'
import type { Random } from '../../lab/random.ts'
import type { OpenPart } from '../part.ts'
import type { VirtualTime } from '../virtual-time.ts'
import { simulateTeam } from './clients.ts'
import { SharedConnection, SimulatedDatabase } from './database.ts'
import { checkLaws } from './laws.ts'
import { Observations } from './observations.ts'
import { SimulatedServer, type ServerDeps } from './server.ts'

/** Teams of a simulation. Each has its own random schedule. */
const teams = 40

/** Seconds in which clients and faults begin new things. */
const busySeconds = 60

/** Seconds in which all work must end after that. */
const settleSeconds = 300

/**
 * Two servers on one database: `Sessions`, `Billing`, the heartbeat with the recovery of dead
 * servers, and the statements of accounts, sessions, leases and pages of jobs. Servers are killed,
 * restarted, paused and cut off from the database, and responses to commits are lost.
 */
export const openServers: OpenPart = async (time) => {
  const database = await SimulatedDatabase.open()
  return {
    schedulesPerRun: teams,
    run: async (random) => new Simulation(time, database, random).run(),
    [Symbol.asyncDispose]: async () => database[Symbol.asyncDispose](),
  }
}

class Simulation {
  readonly #time: VirtualTime
  readonly #random: Random
  readonly #database: SimulatedDatabase
  readonly #observations: Observations
  readonly #deps: ServerDeps
  readonly #servers: SimulatedServer[]
  readonly #counts: Record<string, number> = {}
  /** Servers that still have faults before them. */
  #faultyServers = 0

  constructor(time: VirtualTime, database: SimulatedDatabase, random: Random) {
    this.#time = time
    this.#database = database
    this.#random = random
    this.#observations = new Observations(time)
    const connection = new SharedConnection(database, random)
    time.work = () => connection.next()
    this.#deps = { time, random, connection, bootstrapKeyId: uuidV7(), observations: this.#observations }
    // A single server has an embedded database, whose clock is that of its machine.
    this.#servers = Array.from({ length: random.whole(1, 2) }, () => new SimulatedServer(this.#deps))
  }

  async run(): Promise<Readonly<Record<string, number>>> {
    this.#createTeams()
    for (const server of this.#servers) void this.#start(server)
    await this.#time.advance(1000)
    for (const team of this.#observations.teams)
      void simulateTeam({ team, random: this.#random, servers: this.#servers, observations: this.#observations })
    for (const index of this.#servers.keys()) void this.#causeFaults(index)
    await this.#time.advance(busySeconds * 1000)
    while (this.#faultyServers > 0) await this.#time.advance(5000)
    for (let seconds = 0; seconds < settleSeconds && this.#isBusy(); seconds += 5) await this.#time.advance(5000)
    const stopping = Promise.all(this.#servers.map(async (server) => server.run(async () => server.stop())))
    stopping.catch(() => undefined)
    await this.#time.advance(15_000)
    checkLaws(this.#database, this.#observations)
    for (const server of this.#servers) server.kill()
    this.#time.clear()
    this.#removeTeams()
    const { statements } = this.#database
    this.#database.statements = 0
    return { ...this.#counts, ...this.#observations.counts, statements }
  }

  #start(server: SimulatedServer): Promise<void> {
    return server.run(async () => {
      for (;;) {
        try {
          return await server.start()
        } catch {
          // The database is out of reach.
          await delay(500)
        }
      }
    })
  }

  async #causeFaults(index: number): Promise<void> {
    const random = this.#random
    this.#faultyServers += 1
    for (let count = random.whole(0, 3); count > 0; count -= 1) {
      await delay(random.whole(500, busySeconds * 400))
      const server = this.#servers[index]!
      const { connection } = server
      const fault = random.pick(
        this.#servers.length === 1 ? (['kill', 'clock', 'cut'] as const) : (['kill', 'pause', 'cut'] as const),
      )
      this.#counts[fault] = (this.#counts[fault] ?? 0) + 1
      if (fault === 'kill') {
        server.kill()
        await delay(random.pick([random.whole(0, 5000), random.whole(20_000, 45_000)]))
        const isSame = random.whole(1, 2) === 1 || this.#servers.length === 1
        this.#servers[index] = new SimulatedServer(this.#deps, isSame ? server.nodeId : undefined)
        await this.#start(this.#servers[index])
      } else if (fault === 'pause') {
        connection.state = 'paused'
        await delay(random.pick([random.whole(100, 6000), random.whole(25_000, 45_000)]))
        connection.state = 'running'
      } else if (fault === 'clock') {
        this.#time.wallOffsetMs += random.pick([-1, 1]) * random.whole(1000, 3_600_000)
      } else {
        connection.isCut = true
        await delay(random.pick([random.whole(100, 6000), random.whole(25_000, 45_000)]))
        connection.isCut = false
      }
    }
    this.#faultyServers -= 1
  }

  #isBusy(): boolean {
    const { rows } = this.#database.query(
      `select (select count(*) from session where status = 'active') + (select count(*) from hold)
        + (select count(*) from profile where lease_expires_at between now() and now() + interval '31 seconds')
        + (select greatest(0, count(*) - 2) from node) as open`,
    )
    return Number(rows[0]?.['open']) > 0
  }

  #createTeams(): void {
    for (let index = 0; index < teams; index += 1) {
      const team = {
        id: uuidV7(),
        keyId: uuidV7(),
        credits: this.#random.whole(6, 60),
        limit: this.#random.whole(1, 3),
      }
      this.#database.query(
        `with t as (insert into team (id, name, credits, max_concurrency) values ($1::uuid, $1::uuid::text, $2::bigint, $3::int))
         insert into api_key (id, team_id, name, hash, prefix, role) values ($4::uuid, $1::uuid, 'key', $4::uuid::text, 'bl-', 'member')`,
        [team.id, team.credits, team.limit, team.keyId],
      )
      this.#observations.teams.push(team)
    }
  }

  #removeTeams(): void {
    for (const table of ['ledger', 'hold', 'session', 'profile_version', 'profile', 'api_key', 'team', 'node'])
      this.#database.query(`delete from ${table}`)
  }
}

async function delay(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
