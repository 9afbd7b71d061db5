import { setTimeout as sleep } from 'node:timers/promises'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'
import { isBowlineError } from 'bowline/kit/errors'
import type { Jobs } from '../jobs/jobs.ts'
import type { Job } from '../jobs/plan.ts'
import { atBase } from '../scrape/document/scrape-files.ts'
import type { Authenticator } from './auth.ts'
import { readJobStatus } from './job-status.ts'

/** What watchers of jobs are served with. */
export interface WatchDeps {
  readonly jobs: Jobs
  readonly authenticator: Authenticator
  readonly publicUrl: string | undefined
  readonly onError: (error: unknown, what: string) => void
}

/** The job that an upgrade wants to watch, and the version of the API. Undefined: it wants something else. */
export function watchedJob(path: string): { readonly id: string; readonly version: string } | undefined {
  const [, version = '', id] = /^\/(v[12])\/(?:batch\/scrape|crawl)\/([^/]+)$/.exec(path) ?? []
  return id === undefined ? undefined : { id, version }
}

const closeCodes: Readonly<Record<string, number>> = { UNAUTHORIZED: 3000, FORBIDDEN: 3003, JOB_NOT_FOUND: 1008 }
const internalError = 1011

const maxPayloadBytes = 4096

/** How long to wait for news of a job that another server may have. */
const lookMs = 1000

/** Sends watchers the documents of jobs as they come, until the jobs end. Disposing drops those who still watch. */
export class Watchers implements Disposable {
  readonly #deps: WatchDeps
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    // Watchers have nothing to say, and they are connected before their key is checked.
    maxPayload: maxPayloadBytes,
    // The subprotocol is the API key.
    handleProtocols: ([first]) => first ?? false,
  })

  constructor(deps: WatchDeps) {
    this.#deps = deps
  }

  /** Completes the handshake, and tells the client of its errors afterwards, as this API does. */
  serve(
    watched: { readonly id: string; readonly version: string },
    { request, socket, head }: { readonly request: IncomingMessage; readonly socket: Socket; readonly head: Buffer },
  ): void {
    this.#server.handleUpgrade(request, socket, head, (client) => {
      watch(this.#deps, watched, request, client).catch((error: unknown) => this.#refuse(client, error))
    })
  }

  [Symbol.dispose](): void {
    for (const client of this.#server.clients) client.terminate()
  }

  #refuse(client: WebSocket, error: unknown): void {
    if (!isBowlineError(error)) this.#deps.onError(error, 'watching a job')
    const said = isBowlineError(error) ? error.message : 'The job could not be watched'
    const code = isBowlineError(error) ? (closeCodes[error.code] ?? 1008) : internalError
    client.send(JSON.stringify({ type: 'error', error: said }), () =>
      client.close(code, JSON.stringify({ type: 'error', error: said.slice(0, 80) })),
    )
  }
}

async function watch(
  deps: WatchDeps,
  { id, version }: { readonly id: string; readonly version: string },
  request: IncomingMessage,
  client: WebSocket,
): Promise<void> {
  const left = new AbortController()
  client.on('close', () => left.abort()).on('error', () => left.abort())
  const credential = credentialOf(request)
  const { teamId } = await deps.authenticator.authenticate(credential)
  const { jobs } = deps
  let job = await jobs.find({ id, teamId })
  const baseUrl = deps.publicUrl ?? `http://${request.headers.host ?? 'localhost'}`
  const query = { skip: 0, limit: 100 }
  const isVersion2 = version === 'v2'
  const read = async () => readJobStatus(jobs, job, { baseUrl, version, query })
  const caughtUp = await read()
  const wasOver = job.status !== 'scraping'
  // Clients of v2 take the catch-up of an ended job for all of it. Once the connection closes, they read every page.
  if (isVersion2 && wasOver && caughtUp.status.next !== undefined) return client.close(1000)
  await send(client, { type: 'catchup', data: caughtUp.status })
  let sent = caughtUp.read
  while (!left.signal.aborted) {
    using jobEvents = listen(jobs, job, left.signal)
    // Read before its documents: once it has ended, there are no more of them than are found now.
    job = await jobs.find({ id, teamId })
    const { documents, read: found } = await jobs.documents(job, { skip: sent, limit: 100 })
    for (const document of documents) await send(client, { type: 'document', data: atBase(document, baseUrl) })
    sent += found
    if (found > 0) continue
    if (job.status !== 'scraping') break
    await jobEvents.wait()
    // The key may have been revoked meanwhile.
    await deps.authenticator.authenticate(credential)
  }
  // A v2 client takes the status and the documents of the end from a catch-up, or reads them over HTTP after the close.
  // Only clients in JavaScript, which authenticate by subprotocol, recognize the documents they already have.
  if (isVersion2 && !wasOver && subprotocolOf(request) !== undefined) {
    const { status } = await read()
    if (status.next === undefined) await send(client, { type: 'catchup', data: status })
  }
  client.close(1000, JSON.stringify(endFrame(job)))
}

/** The last frame, sent as the close reason. Clients of v1 read `done` as "completed", whatever the job came to. */
function endFrame({ kind, status }: Job): object {
  return status === 'completed'
    ? { type: 'done' }
    : {
        type: 'error',
        error: `The ${kind === 'crawl' ? 'crawl' : 'batch scrape'} ${status === 'failed' ? 'failed' : 'was cancelled'}`,
      }
}

function credentialOf(request: IncomingMessage): string | undefined {
  const protocol = subprotocolOf(request)
  return protocol === undefined ? request.headers.authorization : `Bearer ${protocol}`
}

function subprotocolOf({ headers }: IncomingMessage): string | undefined {
  const [first = ''] = (headers['sec-websocket-protocol'] ?? '').split(',')
  return first.trim() === '' ? undefined : first.trim()
}

/** Waits for news that came since. */
function listen(jobs: Jobs, { id }: Job, left: AbortSignal): Disposable & { wait: () => Promise<void> } {
  const heard = new AbortController()
  const listening = jobs.jobEvents.listen(id, () => heard.abort())
  const signal = AbortSignal.any([heard.signal, left])
  return {
    wait: async () => sleep(lookMs, undefined, { signal }).catch(() => undefined),
    [Symbol.dispose]: () => listening[Symbol.dispose](),
  }
}

async function send(client: WebSocket, frame: object): Promise<void> {
  const sent = Promise.withResolvers<void>()
  // A client that has left gets nothing more; the loop ends by its signal.
  client.send(JSON.stringify(frame), () => sent.resolve())
  return sent.promise
}
