import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Blobs } from '../blobs/blobs.ts'
import type { BootFolder } from '../browsers/folders.ts'
import type { BrowserPool } from '../browsers/pool.ts'
import { readTreeMemory } from '../browsers/process-memory.ts'
import { fileBytes, folderBytes } from '../kit/folder-bytes.ts'
import type { Metrics, Sample } from '../metrics/metrics.ts'
import type { Scrapes } from '../scrape/scrapes.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { LeakCheck } from './leak-check.ts'

/** Components that are measured. */
export interface MeasurementDeps {
  readonly metrics: Metrics
  readonly dataDir: string
  readonly blobs: Pick<Blobs, 'bytes'>
  readonly boot: Pick<BootFolder, 'path' | 'runtimeDir'>
  readonly browsers: Pick<BrowserPool, 'liveIds' | 'warmIds'>
  readonly sessions: Pick<Sessions, 'list' | 'browserIds'>
  readonly scrapes: Pick<Scrapes, 'browserIds' | 'leakedContexts'>
}

/** Sessions whose memory is measured at a time. Reading it takes the kernel milliseconds each. */
const maxMeasuredSessions = 16

const minuteMs = 60_000

/**
 * Values that are too expensive to read at each collection. A collection starts measuring in the
 * background what is out of date, and gets the values of the last measurement. Nothing is measured
 * while no one collects metrics. Values are NaN until they are known.
 */
export class Measurements {
  readonly #deps: MeasurementDeps
  readonly #leakedBrowsers = new LeakCheck()
  readonly #leakedDirectories = new LeakCheck()
  readonly #jobs: readonly Job[]
  #firstSession = 0
  #leaks = { browsers: Number.NaN, contexts: Number.NaN, directories: Number.NaN }
  #bytes = { database: Number.NaN, blobs: Number.NaN, browsers: Number.NaN, other: Number.NaN }

  constructor(deps: MeasurementDeps) {
    this.#deps = deps
    const { metrics } = deps
    this.#jobs = [
      new Job(minuteMs, async () => this.#measureMemory()),
      new Job(minuteMs, async () => this.#findLeaks()),
      new Job(5 * minuteMs, async () => this.#measureDataDir()),
    ]
    metrics.read('bowline_leaked_browsers', () => this.#leaks.browsers)
    metrics.read('bowline_leaked_contexts', () => this.#leaks.contexts)
    metrics.read('bowline_leaked_directories', () => this.#leaks.directories)
    metrics.readSamples('bowline_data_dir_bytes', (): readonly Sample<'bowline_data_dir_bytes'>[] => {
      const parts = ['database', 'blobs', 'browsers', 'other'] as const
      return parts.map((part) => ({ labels: { part }, value: this.#bytes[part] }))
    })
  }

  /** Starts the measurements that are due. */
  refresh(): void {
    for (const job of this.#jobs) job.startIfDue()
  }

  /** Measures some sessions, others each time. */
  async #measureMemory(): Promise<void> {
    const pids = this.#deps.sessions.list().map(({ browser }) => browser.pid)
    const start = this.#firstSession % Math.max(1, pids.length)
    this.#firstSession = start + maxMeasuredSessions
    const measured = [...pids.slice(start), ...pids.slice(0, start)].slice(0, maxMeasuredSessions)
    const memory = await readTreeMemory(measured)
    for (const bytes of memory.values()) this.#deps.metrics.observe('bowline_session_memory_bytes', {}, bytes)
  }

  async #findLeaks(): Promise<void> {
    const { boot, browsers, sessions, scrapes } = this.#deps
    const entries = await readdir(boot.path, { withFileTypes: true })
    const live = browsers.liveIds()
    const known = new Set([...live, ...browsers.warmIds()])
    const owned = new Set([...sessions.browserIds(), ...scrapes.browserIds()])
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    this.#leaks = {
      browsers: this.#leakedBrowsers.count(live.filter((id) => !owned.has(id))),
      contexts: await scrapes.leakedContexts(),
      directories: this.#leakedDirectories.count(folders.filter((id) => !known.has(id))),
    }
  }

  async #measureDataDir(): Promise<void> {
    const { dataDir, blobs, boot } = this.#deps
    const others = await readdir(dataDir, { withFileTypes: true })
    let other = 0
    for (const entry of others) {
      if (measuredApart.has(entry.name)) continue
      const path = join(dataDir, entry.name)
      other += entry.isDirectory() ? await folderBytes(path) : await fileBytes(path)
    }
    this.#bytes = {
      database: await folderBytes(join(dataDir, 'pg')),
      blobs: (await blobs.bytes?.()) ?? Number.NaN,
      browsers: await folderBytes(boot.runtimeDir),
      other,
    }
  }
}

/** Folders in the data directory that are parts of their own. */
const measuredApart: ReadonlySet<string> = new Set(['pg', 'blobs', 'run'])

/** A measurement that runs in the background, at most once per interval. */
class Job {
  readonly #intervalMs: number
  readonly #measure: () => Promise<void>
  #dueMs = 0
  #isRunning = false

  constructor(intervalMs: number, measure: () => Promise<void>) {
    this.#intervalMs = intervalMs
    this.#measure = measure
  }

  startIfDue(): void {
    if (this.#isRunning || performance.now() < this.#dueMs) return
    this.#isRunning = true
    this.#measure()
      // A browser or a folder that is gone. The values stay as they were until the next time.
      .catch(() => undefined)
      .finally(() => {
        this.#isRunning = false
        this.#dueMs = performance.now() + this.#intervalMs
      })
  }
}
