import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../lab/random.ts'
import type { Site } from '../../lab/site.ts'
import { actorRandom } from '../actor-random.ts'
import type { Fleet } from '../fleet.ts'
import { runChecks, scrapePages, sendJobs } from './job-clients.ts'
import { startClientProgram, type ClientProgram } from './programs.ts'
import type { JobRecord, Records } from './records.ts'
import { Requests } from './requests.ts'
import { browseSessions, downloadFiles, writeProfile } from './session-clients.ts'

/** A client. Works until `stop` aborts. `pause` waits for some milliseconds, or until then. */
export type Client = (random: Random, stop: AbortSignal, pause: (ms: number) => Promise<void>) => Promise<void>

/** Dependencies of clients, and what they record. */
export interface ClientDeps {
  readonly requests: Requests
  readonly site: Site
  readonly fullDisks: Fleet['fullDisks']
  readonly webhookUrl: string
  readonly batchPages: number
  readonly jobs: JobRecord[]
  readonly checks: string[]
  readonly profiles: Map<string, readonly string[]>
  readonly notes: string[]
  readonly counts: { scrapes: number; scrapeRequests: number }
  readonly downloads: { read: number; readonly damaged: string[] }
}

/** The clients of a run. */
export interface Load {
  /** Client programs, which can be killed. */
  readonly programs: readonly ClientProgram[]
  /** Disconnects clients in the middle of their requests. Returns how many. */
  readonly cutClients: (count: number) => number
  /** Opens a page that takes so many megabytes. Returns whether it did. */
  readonly useMemory: (megabytes: number) => Promise<boolean>
  /** Resolves when all clients have finished. */
  readonly finish: () => Promise<Records>
}

/** Options of `startLoad`. */
export interface LoadOptions {
  readonly seed: number
  readonly site: Site
  readonly webhookUrl: string
  /** Fewer clients with longer pauses. */
  readonly isLight: boolean
}

/**
 * Client programs of light runs, by their seed. Starting a program takes a second of processor
 * time.
 */
const lightDrivers = [[], ['playwright'], ['puppeteer']] as const

/** How much longer the clients of a light run pause. */
const lightPause = 6

/** Starts clients with sessions, profiles, downloads, scrapes, batches, crawls and monitors. */
export function startLoad(fleet: Fleet, { seed, site, webhookUrl, isLight }: LoadOptions): Load {
  const requests = new Requests(fleet)
  const deps: ClientDeps = {
    requests,
    site,
    fullDisks: fleet.fullDisks,
    webhookUrl,
    batchPages: isLight ? 12 : 30,
    jobs: [],
    checks: [],
    profiles: new Map(),
    notes: [],
    counts: { scrapes: 0, scrapeRequests: 0 },
    downloads: { read: 0, damaged: [] },
  }
  const clients: Readonly<Record<string, Client>> = {
    sessions: browseSessions(deps),
    'first profile': writeProfile(deps, 'first'),
    downloads: downloadFiles(deps),
    scrapes: scrapePages(deps),
    jobs: sendJobs(deps),
    monitors: runChecks(deps),
    ...(!isLight && { 'more sessions': browseSessions(deps), 'second profile': writeProfile(deps, 'second') }),
  }
  const drivers = isLight ? lightDrivers[seed % lightDrivers.length]! : ['playwright', 'puppeteer']
  const programs = drivers.map((driver) =>
    startClientProgram(fleet, {
      driver,
      url: site.url('/work'),
      pauseMs: isLight ? 2000 : 200,
      random: actorRandom(seed, driver),
    }),
  )
  const stop = new AbortController()
  const pause = async (ms: number): Promise<void> =>
    sleep(ms * (isLight ? lightPause : 1), undefined, { signal: stop.signal }).catch(() => undefined)
  const running = Promise.all(
    Object.entries(clients).map(async ([name, run]) => run(actorRandom(seed, name), stop.signal, pause)),
  )
  const memoryRandom = actorRandom(seed, 'memory')
  return {
    programs,
    cutClients: (count) => requests.cut(count),
    useMemory: async (megabytes) => {
      const session = await requests.create(memoryRandom, {})
      if (session === undefined) return false
      const text = await requests.visit(session, site.url(`/memory?megabytes=${megabytes}`))
      await requests.remove(memoryRandom, session)
      return text !== undefined
    },
    finish: async () => {
      stop.abort()
      await Promise.all([running, ...programs.map(async (program) => program.stop())])
      const { jobs, checks, profiles, notes, counts, downloads } = deps
      return {
        ...counts,
        requests: requests.count,
        sessions: [...requests.sessions, ...programs.flatMap((program) => program.sessions())],
        jobs,
        checks,
        profiles,
        notes,
        downloads: downloads.read,
        damagedDownloads: downloads.damaged,
        drivenSessions: Object.fromEntries(programs.map((program) => [program.driver, program.driven()])),
      }
    },
  }
}
