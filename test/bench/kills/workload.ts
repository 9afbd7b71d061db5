import { setTimeout as sleep } from 'node:timers/promises'
import { connectCdp } from '../../lab/cdp-socket.ts'
import type { Random } from '../../lab/random.ts'
import type { Site } from '../../lab/site.ts'
import type { Fleet } from './fleet.ts'

/** A session that a client received. */
export interface SessionRecord {
  readonly id: string
  readonly requestedAtMs: number
  /** When its deletion was confirmed. */
  deletedAtMs?: number
}

/** A batch or a crawl that a server accepted. */
export interface JobRecord {
  readonly path: string
  readonly id: string
  readonly pages: number
}

/** Observations of the clients of a round. */
export interface Records {
  readonly sessions: readonly SessionRecord[]
  readonly jobs: readonly JobRecord[]
  readonly requests: number
  /** Successful responses of single scrapes. */
  readonly scrapes: number
  /** Single scrapes whose requests were sent. */
  readonly scrapeRequests: number
  /** Values of each profile that its next session may find. */
  readonly profiles: ReadonlyMap<string, readonly string[]>
}

/** The clients of a round. */
export interface Workload {
  /** Disconnects clients in the middle of their requests. */
  readonly cutClients: (count: number) => void
  /** Resolves when all clients have finished. */
  readonly finish: () => Promise<Records>
}

type Body = Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- answers have every shape

/** Starts clients with sessions, profiles, scrapes, a batch and a crawl. */
export function startWorkload({ members, apiKey }: Fleet, site: Site, random: Random): Workload {
  const sessions: SessionRecord[] = []
  const jobs: JobRecord[] = []
  const profiles = new Map<string, readonly string[]>()
  const counts = { requests: 0, scrapes: 0, scrapeRequests: 0 }
  const open = new Set<AbortController>()
  const stop = new AbortController()

  /** Sends a request once. Returns undefined if no response arrived. */
  const send = async (
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; body: Body } | undefined> => {
    const cut = new AbortController()
    open.add(cut)
    counts.requests += 1
    try {
      const response = await fetch(new URL(path, random.pick(members).url), {
        method,
        headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([cut.signal, AbortSignal.timeout(15_000)]),
      })
      return { status: response.status, body: (await response.json()) as Body }
    } catch {
      return undefined
    } finally {
      open.delete(cut)
    }
  }
  const create = async (options: object): Promise<(SessionRecord & { readonly cdpUrl: string }) | undefined> => {
    const requestedAtMs = Date.now()
    const answer = await send('POST', '/v2/browser', { ttl: 30, activityTtl: 30, ...options })
    if (answer?.status !== 200) return undefined
    const record = { id: String(answer.body['id']), requestedAtMs, cdpUrl: String(answer.body['cdpUrl']) }
    sessions.push(record)
    return record
  }
  const remove = async (record: SessionRecord): Promise<Body | undefined> => {
    const answer = await send('DELETE', `/v2/browser/${record.id}`)
    if (answer?.status !== 200) return undefined
    record.deletedAtMs = Date.now()
    return answer.body
  }
  /** Opens a page in a session. Returns its text, or undefined if the connection broke. */
  const browse = async (cdpUrl: string, url: string): Promise<string | undefined> => {
    try {
      await using cdp = await connectCdp(cdpUrl)
      const cut = new AbortController()
      open.add(cut)
      cut.signal.addEventListener('abort', () => cdp.socket.terminate())
      const work = async (): Promise<string> => {
        const page = await cdp.attachToPage()
        await cdp.call('Page.enable', {}, page)
        await cdp.call('Page.navigate', { url }, page)
        for (;;) {
          const expression =
            'document.readyState === "complete" && location.href !== "about:blank" ? document.body.innerText : ""'
          const { result } = await cdp.call('Runtime.evaluate', { expression }, page)
          const text = String(result?.['result']?.value ?? '')
          if (text !== '') return text
          await sleep(50)
        }
      }
      return await Promise.race([work(), cdp.closed.then(() => undefined), sleep(15_000, undefined)]).finally(() =>
        open.delete(cut),
      )
    } catch {
      return undefined
    }
  }

  const runSessions = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const session = await create({})
      if (session !== undefined) await browse(session.cdpUrl, site.url('/work'))
      // Some clients leave their sessions behind.
      if (session !== undefined && random.whole(1, 5) > 1) await remove(session)
      await sleep(random.whole(50, 500))
    }
  }
  const runProfile = async (name: string): Promise<void> => {
    for (let number = 1; !stop.signal.aborted; number += 1) {
      const session = await create({ profile: { name } })
      if (session === undefined) {
        await sleep(500)
        continue
      }
      const before = profiles.get(name) ?? ['']
      const value = `${name}-${number}`
      // Until the deletion is confirmed, both values are possible.
      profiles.set(name, [...before, value])
      const url = site.url(`/cookies/set?name=value&value=${value}&maxAge=1000`)
      const isSet = (await browse(session.cdpUrl, url)) !== undefined
      const saved = (await remove(session))?.['profile'] as Body | undefined
      if (isSet && saved?.['version'] !== undefined) profiles.set(name, [value])
      if (saved?.['error'] !== undefined && !String(saved['error']).includes('kept on the server'))
        profiles.set(name, isSet ? before : [...before, value])
    }
  }
  const runScrapes = async (): Promise<void> => {
    for (let number = 1; !stop.signal.aborted; number += 1) {
      counts.scrapeRequests += 1
      const options = number % 4 === 0 ? { formats: ['screenshot'] } : {}
      const answer = await send('POST', '/v2/scrape', {
        url: site.url(`/work?scrape=${number}`),
        maxAge: 0,
        ...options,
      })
      if (answer?.status === 200) counts.scrapes += 1
      await sleep(random.whole(50, 300))
    }
  }
  const runJobs = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const urls = Array.from({ length: 30 }, (_, index) =>
        site.url(`/work?ms=400&batch=${index}${index % 9 === 8 ? '&fails' : ''}`),
      )
      const batch = await send('POST', '/v2/batch/scrape', { urls, maxAge: 0 })
      if (batch?.status === 200)
        jobs.push({ path: '/v2/batch/scrape', id: String(batch.body['id']), pages: urls.length })
      const crawl = await send('POST', '/v2/crawl', {
        url: site.url('/start'),
        limit: 10,
        sitemap: 'skip',
        scrapeOptions: { maxAge: 0 },
      })
      if (crawl?.status === 200) jobs.push({ path: '/v2/crawl', id: String(crawl.body['id']), pages: 10 })
      await sleep(random.whole(8000, 15_000), undefined, { signal: stop.signal }).catch(() => undefined)
    }
  }

  const running = Promise.all([
    runSessions(),
    runSessions(),
    runProfile('first'),
    runProfile('second'),
    runScrapes(),
    runJobs(),
  ])
  return {
    cutClients: (count) => {
      for (const cut of [...open].slice(0, count)) cut.abort()
    },
    finish: async () => {
      stop.abort()
      await running
      return { ...counts, sessions, jobs, profiles }
    },
  }
}
