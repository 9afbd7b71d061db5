import { statfs } from 'node:fs/promises'
import type { BrowserPool } from '../browsers/pool.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Store } from '../store/store.ts'
import type { WriteHealth } from '../store/write-health.ts'

/**
 * Megabytes of free space below which the disk counts as full. The embedded database writes its log
 * in segments of 16 MB.
 */
const minFreeMb = 64

/** Milliseconds the store has to respond to a readiness probe. */
const pingTimeoutMs = 2000

/** Number of consecutive failed browser starts after which the server is not ready. */
const maxFailedBrowsers = 3

/** Free disk space. */
export interface DiskState {
  readonly freeMb: number
  readonly isFull: boolean
}

/** Reads the disk space that this process may use in a folder. */
export async function readDisk(folder: string, read: typeof statfs = statfs): Promise<DiskState> {
  const { bavail, bsize } = await read(folder)
  const freeMb = Math.floor((bavail * bsize) / 1e6)
  return { freeMb, isFull: freeMb < minFreeMb }
}

/** Inputs of the readiness check. */
export interface ReadinessInputs {
  readonly isStoreOpen: boolean
  readonly areWritesFailing: boolean
  /** `undefined`: the data directory cannot be read. */
  readonly disk: DiskState | undefined
  readonly isWarm: boolean
  /** Browsers of the pool that failed since one last started. */
  readonly failedBrowsers: number
  /** Browsers that are ready. */
  readonly warm: number
  readonly isDraining: boolean
}

/** Returns the reasons why the server cannot take new work. Empty if it is ready. */
export function reasonsNotReady(inputs: ReadinessInputs): readonly string[] {
  const { isStoreOpen, areWritesFailing, disk, isWarm, failedBrowsers, warm, isDraining } = inputs
  const lacksBrowsers = warm === 0 && failedBrowsers >= maxFailedBrowsers
  return [
    ...(isStoreOpen ? [] : ['The database does not respond.']),
    ...(areWritesFailing ? ['Writes to the database fail. See the server log.'] : []),
    ...(disk === undefined ? ['The data directory cannot be read.'] : []),
    ...(disk?.isFull === true
      ? [`The disk of the data directory is full: ${disk.freeMb} MB left. Free up space.`]
      : []),
    ...(lacksBrowsers ? [`The last ${failedBrowsers} browsers failed to start. See the server log.`] : []),
    ...(isWarm || lacksBrowsers ? [] : ['The first browsers are still starting.']),
    ...(isDraining ? ['The server is shutting down.'] : []),
  ]
}

/** Dependencies of the readiness check. */
export interface ReadinessDeps {
  readonly store: Pick<Store, 'ping' | 'kind'>
  readonly browsers: Pick<BrowserPool, 'stats' | 'whenWarm'>
  readonly sessions: Pick<Sessions, 'liveSessionCount' | 'maxSessions' | 'isDraining'>
  readonly dataDir: string
  /** Number of browsers that the pool keeps ready. */
  readonly warm: number
  /** Results of this node's heartbeats, each of which writes to the store. */
  readonly writes: WriteHealth
  /** Resolves once the server has started successfully. */
  readonly whenStarted: Promise<void>
}

/** Whether the server can take new work, and the state of the components that decide it. */
export class Readiness {
  readonly #deps: ReadinessDeps
  #hasStarted = false
  #isWarm = false

  constructor(deps: ReadinessDeps) {
    this.#deps = deps
    void deps.whenStarted.then(() => {
      this.#hasStarted = true
    })
    void deps.browsers.whenWarm.then(() => {
      this.#isWarm = true
    })
  }

  /** Checks all components. `reasons` is empty if the server is ready. */
  async check() {
    const { store, browsers, sessions, dataDir, writes } = this.#deps
    const [state, disk] = await Promise.all([
      store.ping(AbortSignal.timeout(pingTimeoutMs)).then(
        () => 'open' as const,
        () => 'unreachable' as const,
      ),
      readDisk(dataDir).catch(() => undefined),
    ])
    const { isDraining, liveSessionCount: live, maxSessions: max } = sessions
    const areWritesFailing = writes.isFailing
    const pool = browsers.stats()
    const isStoreOpen = state === 'open'
    const reasons = reasonsNotReady({
      isStoreOpen,
      areWritesFailing,
      disk,
      isWarm: this.#isWarm && this.#hasStarted,
      // Without a warm pool, nothing would start a browser until the server gets work again.
      failedBrowsers: this.#deps.warm === 0 ? 0 : pool.failedInARow,
      warm: pool.warm,
      isDraining,
    })
    return {
      status: reasons.length === 0 ? 'ok' : 'unavailable',
      reasons,
      store: { kind: store.kind, state, isWritable: isStoreOpen && !areWritesFailing },
      disk,
      pool: { ...pool, isWarm: this.#isWarm && this.#hasStarted },
      sessions: { live, max, isDraining },
    }
  }
}
