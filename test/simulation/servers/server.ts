import type { AuditLog } from '../../../server/src/audit/audit-log.ts'
import { endLeftoverSessions } from '../../../server/src/app/end-leftover-sessions.ts'
import { joinCluster } from '../../../server/src/app/join-cluster.ts'
import type { SharedDeps } from '../../../server/src/app/shared-deps.ts'
import { Billing } from '../../../server/src/billing/billing.ts'
import { defaultPrices } from '../../../server/src/billing/prices.ts'
import { renewLeases, type Lease } from '../../../server/src/profiles/lease-queries.ts'
import type { SessionComponents } from '../../../server/src/sessions/live-session.ts'
import type { SessionBrowser } from '../../../server/src/sessions/session-browser.ts'
import type { SessionsDeps } from '../../../server/src/sessions/session-deps.ts'
import { Sessions } from '../../../server/src/sessions/sessions.ts'
import type { Store } from '../../../server/src/store/store.ts'
import { uuidV7 } from '../../../src/kit/ids.ts'
import type { Random } from '../../lab/random.ts'
import type { VirtualTime } from '../virtual-time.ts'
import type { Connection, SharedConnection } from './database.ts'
import type { Observations } from './observations.ts'

/** Dependencies of simulated servers. */
export interface ServerDeps {
  readonly time: VirtualTime
  readonly random: Random
  readonly connection: SharedConnection
  readonly bootstrapKeyId: string
  readonly observations: Observations
}

/**
 * A process of a server: its sessions, billing and heartbeat. Browsers and clients are simulated.
 */
export class SimulatedServer {
  readonly nodeId: string
  readonly connection: Connection
  readonly store: Store
  readonly billing: Billing
  readonly sessions: Sessions
  /** Leases of writers on this server. */
  readonly leases = new Set<Lease>()
  readonly #deps: ServerDeps
  /** Ids of the sessions whose browsers run here, with the functions that crash them. */
  readonly #browsers = new Map<string, () => void>()
  #resources: AsyncDisposable | undefined

  constructor(deps: ServerDeps, nodeId: string = uuidV7()) {
    this.#deps = deps
    this.nodeId = nodeId
    this.connection = deps.connection.connect()
    this.store = { kind: 'postgres', db: this.connection.db, heartbeatDb: this.connection.db } as unknown as Store
    this.billing = new Billing({ store: this.store, nodeId })
    this.sessions = new Sessions(this.#sessionsDeps())
  }

  /** Starts like the server does: what an earlier process of this node has left is ended first. */
  async start(): Promise<void> {
    const deps = this.#sessionsDeps()
    const shared = { ...deps, writes: { note: () => undefined } } as unknown as SharedDeps
    await endLeftoverSessions(shared, deps.webhooks)
    const resources = new AsyncDisposableStack()
    await joinCluster(shared, {
      nodeUrl: 'http://127.0.0.1',
      bootstrapKeyId: this.#deps.bootstrapKeyId,
      blobsId: 'blobs',
      sessions: this.sessions,
      services: { sessionWebhooks: deps.webhooks },
      heartbeatResources: resources,
      audit: { record: async () => undefined } as unknown as AuditLog,
    })
    this.#resources = resources
  }

  /** Ends the process and its browsers at once. */
  kill(): void {
    this.connection.state = 'dead'
    for (const id of this.#browsers.keys()) this.#deps.observations.lived(id)
  }

  /** Crashes the browser of a session. */
  crash(id: string): void {
    this.#browsers.get(id)?.()
  }

  /** Runs a function as part of this process, which stops with it. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#deps.time.runAs(this.connection, work)
  }

  async stop(): Promise<void> {
    await this.sessions.drain()
    await this.#resources?.[Symbol.asyncDispose]()
  }

  #sessionsDeps(): SessionsDeps {
    const { store, nodeId } = this
    const { random, observations } = this.#deps
    return {
      store,
      nodeId,
      prices: defaultPrices,
      maxSessions: 1000,
      browsers: {
        take: async () => {
          await new Promise((resolve) => void setTimeout(resolve, random.whole(0, 1500)))
          if (random.whole(1, 12) === 1) throw new Error('The browser failed to start')
          return launch()
        },
      } as unknown as SessionsDeps['browsers'],
      profiles: {
        renewLeases: async () => renewLeases(store.db, [...this.leases]),
        resumePending: async () => undefined,
      } as unknown as SessionsDeps['profiles'],
      extensions: { prepare: async () => [] } as unknown as SessionsDeps['extensions'],
      webhooks: {
        started: async () => undefined,
        ended: async () => undefined,
      } as unknown as SessionsDeps['webhooks'],
      onEnd: (row) => {
        this.#browsers.delete(row.id)
        observations.ended(row)
      },
      // Expected: the database is out of reach now and then.
      onError: () => undefined,
      openComponents: () => ({}) as unknown as SessionComponents,
      onStart: async ({ row, browser, ageMs, ended }) => {
        if (random.whole(1, 20) === 1) throw new Error('The setup failed')
        this.#browsers.set(row.id, () => void browser.kill())
        observations.started(row.id, ageMs())
        ended.addEventListener('abort', () => observations.lived(row.id))
      },
      onEnding: async () => new Promise((resolve) => void setTimeout(resolve, random.whole(0, 300))),
    }
  }
}

function launch(): SessionBrowser {
  const exited = Promise.withResolvers<{ code: number }>()
  return {
    pid: 0,
    extensionIds: [],
    exited: exited.promise,
    unresponsiveMs: () => 0,
    kill: async () => exited.resolve({ code: 1 }),
  } as unknown as SessionBrowser
}
