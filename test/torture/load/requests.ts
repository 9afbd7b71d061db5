import { setTimeout as sleep } from 'node:timers/promises'
import { connectCdp, type CdpSocket } from '../../lab/cdp-socket.ts'
import type { Random } from '../../lab/random.ts'
import type { Fleet } from '../fleet.ts'
import type { SessionRecord } from './records.ts'

/** JSON body of a response. */
export type Body = Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- answers have every shape

/** A session with the URL of its browser. */
export type OpenSession = SessionRecord & { readonly cdpUrl: string }

/** Milliseconds after which a client gives up on a request or a page. */
const patienceMs = 15_000

/** Requests of clients, each to a random server and without retries. */
export class Requests {
  readonly #fleet: Pick<Fleet, 'members' | 'apiKey'>
  readonly #open = new Set<AbortController>()
  readonly sessions: SessionRecord[] = []
  count = 0

  constructor(fleet: Pick<Fleet, 'members' | 'apiKey'>) {
    this.#fleet = fleet
  }

  /** Disconnects clients in the middle of their requests. Returns how many. */
  cut(count: number): number {
    const cut = [...this.#open].slice(0, count)
    for (const controller of cut) controller.abort()
    return cut.length
  }

  /** Sends a request once. Returns undefined if no response arrived. */
  async send(
    random: Random,
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: Body } | undefined> {
    const bytes = await this.read(random, method, path, body)
    if (bytes === undefined) return undefined
    try {
      return { status: bytes.status, body: JSON.parse(new TextDecoder().decode(bytes.body)) as Body }
    } catch {
      return undefined
    }
  }

  /** Sends a request once and reads the bytes of its response. */
  async read(
    random: Random,
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: Uint8Array } | undefined> {
    const { members, apiKey } = this.#fleet
    const cut = new AbortController()
    this.#open.add(cut)
    this.count += 1
    try {
      const response = await fetch(new URL(path, random.pick(members).url), {
        method,
        headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([cut.signal, AbortSignal.timeout(patienceMs)]),
      })
      return { status: response.status, body: await response.bytes() }
    } catch {
      return undefined
    } finally {
      this.#open.delete(cut)
    }
  }

  /** Creates a session. Returns undefined if no session was received. */
  async create(random: Random, options: object): Promise<OpenSession | undefined> {
    const requestedAtMs = Date.now()
    const answer = await this.send(random, 'POST', '/v2/browser?wait=5', { ttl: 30, activityTtl: 30, ...options })
    if (answer?.status !== 200) return undefined
    const { id, cdpUrl } = answer.body
    const record = { id: String(id), requestedAtMs, receivedAtMs: Date.now(), cdpUrl: String(cdpUrl) }
    this.sessions.push(record)
    return record
  }

  /** Deletes a session. Returns the response if it was confirmed. */
  async remove(random: Random, record: SessionRecord): Promise<Body | undefined> {
    record.deletionRequestedAtMs ??= Date.now()
    const answer = await this.send(random, 'DELETE', `/v2/browser/${record.id}`)
    if (answer?.status !== 200) return undefined
    record.deletedAtMs = Date.now()
    return answer.body
  }

  /** Connects to a session and works in its page. Returns undefined if that failed. */
  async browse<Result>(
    { cdpUrl }: OpenSession,
    work: (cdp: CdpSocket, page: string) => Promise<Result>,
  ): Promise<Result | undefined> {
    const cut = new AbortController()
    try {
      await using cdp = await connectCdp(cdpUrl)
      this.#open.add(cut)
      cut.signal.addEventListener('abort', () => cdp.socket.terminate())
      const working = (async () => work(cdp, await cdp.attachToPage()))()
      working.catch(() => undefined)
      return await Promise.race([
        working,
        cdp.closed.then(() => undefined),
        sleep(patienceMs, undefined, { signal: cut.signal }),
      ])
    } catch {
      return undefined
    } finally {
      this.#open.delete(cut)
      // Ends the timer.
      cut.abort()
    }
  }

  /** Opens a page in a session. Returns its text, or undefined if that failed. */
  async visit(session: OpenSession, url: string): Promise<string | undefined> {
    return this.browse(session, async (cdp, page) => {
      await cdp.call('Page.enable', {}, page)
      await cdp.call('Page.navigate', { url }, page)
      const expression =
        'document.readyState === "complete" && location.protocol === "http:" ? document.body.innerText : ""'
      while (cdp.socket.readyState === cdp.socket.OPEN) {
        const { result } = await cdp.call('Runtime.evaluate', { expression }, page)
        const text = String(result?.['result']?.value ?? '')
        if (text !== '') return text
        await sleep(50)
      }
      return undefined
    })
  }
}
