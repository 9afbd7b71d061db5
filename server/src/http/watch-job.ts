import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { sleep } from 'bowline/kit/sleep'
import { mergeSignals } from 'bowline/kit/abort'
import { WebSocketServer, type WebSocket } from 'ws'
import type { ApiVersion } from 'bowline/contract/paths'
import { isBowlineError } from 'bowline/kit/errors'
import type { Jobs } from '../jobs/jobs.ts'
import type { Job } from '../jobs/plan.ts'
import { withBaseUrl } from '../scrape/document/scrape-files.ts'
import type { ClientOrigin } from './client-origin.ts'
import { originOf } from './request-origin.ts'
import type { Authenticator } from './auth.ts'
import { retryDuringOutage } from '../store/retry-during-outage.ts'
import { readJobStatus } from './job-status.ts'
import type { ResponseMemory } from './response-memory.ts'

/** Dependencies of the WebSocket that streams jobs. */
export interface WatchDeps {
  readonly jobs: Jobs
  readonly authenticator: Authenticator
  readonly origin: ClientOrigin
  /** Counts the documents that clients have not read. */
  readonly responses: ResponseMemory
  readonly onError: (error: unknown, action: string) => void
}

const closeCodes: Readonly<Record<string, number>> = {
  UNAUTHORIZED: 3000,
  FORBIDDEN: 3003,
  JOB_NOT_FOUND: 1008,
  SERVER_BUSY: 1013,
  STORE_UNAVAILABLE: 1013,
}
const internalError = 1011

const maxPayloadBytes = 4096

/** Milliseconds without progress after which the connection of a client is closed. */
const unreadTimeoutMs = 60_000

/** Milliseconds between two polls of a job that may run on another server. */
const pollMs = 1000

/** "Service restart": clients of v2 continue to read the job over HTTP. */
const serviceRestart = 1012

/** Milliseconds that clients have to confirm the close frame of a shutdown. */
const closeTimeoutMs = 1000

/**
 * Streams the documents of jobs over WebSockets until the jobs end. Disposing closes all
 * connections, with the reason.
 */
export class Watchers implements AsyncDisposable {
  readonly #deps: WatchDeps
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    // Clients send nothing, and they connect before their key is checked.
    maxPayload: maxPayloadBytes,
    // The subprotocol is the API key.
    handleProtocols: ([first]) => first ?? false,
  })

  constructor(deps: WatchDeps) {
    this.#deps = deps
  }

  /**
   * Completes the handshake and then authenticates: this API reports errors over the open socket.
   */
  serve(
    watched: { readonly id: string; readonly version: ApiVersion },
    { request, socket, head }: { readonly request: IncomingMessage; readonly socket: Socket; readonly head: Buffer },
  ): void {
    this.#server.handleUpgrade(request, socket, head, (client) => {
      socket.setTimeout(unreadTimeoutMs, () => void (socket.writableLength > 0 && socket.destroy()))
      watch(this.#deps, watched, request, client).catch((error: unknown) => this.#refuse(client, error))
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    const clients = [...this.#server.clients]
    const closed = Promise.all(clients.map(async (client) => once(client, 'close')))
    for (const client of clients)
      closeWith(client, serviceRestart, 'This server is shutting down. The job continues: connect again.')
    await Promise.race([closed, sleep(closeTimeoutMs)])
    for (const client of clients) client.terminate()
  }

  #refuse(client: WebSocket, error: unknown): void {
    if (!isBowlineError(error)) this.#deps.onError(error, 'watching a job')
    const message = isBowlineError(error) ? error.message : 'The job could not be watched'
    const code = isBowlineError(error) ? (closeCodes[error.code] ?? 1008) : internalError
    client.send(JSON.stringify({ type: 'error', error: message }), () => closeWith(client, code, message))
  }
}

/** Closes a connection with an error. v1 clients parse the reason as JSON. */
function closeWith(client: WebSocket, code: number, message: string): void {
  client.close(code, JSON.stringify({ type: 'error', error: toCloseReason(message) }))
}

/** Shortens a message to ASCII that fits in a close frame with its JSON: longer ones throw. */
function toCloseReason(message: string): string {
  return message.replaceAll(/[^ !#-[\]-~]/g, '?').slice(0, 80)
}

async function watch(
  deps: WatchDeps,
  { id, version }: { readonly id: string; readonly version: ApiVersion },
  request: IncomingMessage,
  client: WebSocket,
): Promise<void> {
  const disconnected = new AbortController()
  client.on('close', () => disconnected.abort()).on('error', () => disconnected.abort())
  const authenticate = async () => deps.authenticator.authenticate(credentialOf(request), originOf(request))
  const { teamId } = await authenticate()
  const { jobs, responses } = deps
  let job = await jobs.find({ id, teamId })
  const baseUrl = deps.origin.baseUrlOf(request)
  const query = { skip: 0, limit: 100 }
  const isVersion2 = version === 'v2'
  // Returns the number of pages that were sent. Undefined: there are more. A function, so that the
  // documents are not kept while the job runs.
  const sendStatus = async ({ isComplete }: { readonly isComplete: boolean }): Promise<number | undefined> => {
    responses.assertRoom(teamId)
    const { status, pagesRead } = await readJobStatus(jobs, job, { baseUrl, version, query })
    if (isComplete && status.next !== undefined) return undefined
    using _held = responses.hold(teamId, status)
    await send(client, { type: 'catchup', data: status })
    return pagesRead
  }
  const wasOver = job.status !== 'scraping'
  // v2 clients treat the catch-up of an ended job as complete. If it cannot have all documents,
  // each is sent in a message of its own.
  let sent = (await sendStatus({ isComplete: isVersion2 && wasOver })) ?? 0
  // Returns whether the job has ended and all of its documents were sent.
  const sendDocuments = async (): Promise<boolean> => {
    // The key may have been revoked meanwhile.
    await authenticate()
    using jobEvents = listen(jobs, job, disconnected.signal)
    // Read the job before its documents: if it has already ended, the documents read next are
    // complete.
    job = await jobs.find({ id, teamId })
    responses.assertRoom(teamId)
    const { documents, pagesRead: found } = await jobs.documents(job, { skip: sent, limit: 100 })
    using _held = responses.hold(teamId, documents)
    for (const document of documents) await send(client, { type: 'document', data: withBaseUrl(document, baseUrl) })
    sent += found
    if (found > 0) return false
    if (job.status !== 'scraping') return true
    await jobEvents.wait()
    return false
  }
  const { signal } = disconnected
  const outage = { signal, everyMs: pollMs }
  await retryDuringOutage(async () => {
    while (!signal.aborted && !(await sendDocuments())) continue
  }, outage)
  // A v2 client takes the final status and documents from a catch-up, or reads them over HTTP after
  // the close. Only JavaScript clients, which authenticate by subprotocol, recognize documents they
  // already have.
  if (isVersion2 && !wasOver && subprotocolOf(request) !== undefined)
    await retryDuringOutage(async () => sendStatus({ isComplete: true }), outage)
  client.close(1000, JSON.stringify(endFrame(job)))
}

/**
 * Returns the last frame, sent as the close reason. v1 clients report `done` as "completed",
 * regardless of the outcome of the job.
 */
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

/** Listens for changes of a job from now on. `wait` resolves at the next one, or after `pollMs`. */
function listen(jobs: Jobs, { id }: Job, disconnected: AbortSignal): Disposable & { wait: () => Promise<void> } {
  const changed = new AbortController()
  const listening = jobs.jobEvents.listen(id, () => changed.abort())
  const signal = mergeSignals(changed.signal, disconnected)
  return {
    // Rejects at a change or when the client has left, which ends the wait.
    wait: async () => sleep(pollMs, signal).catch(() => undefined),
    [Symbol.dispose]: () => listening[Symbol.dispose](),
  }
}

async function send(client: WebSocket, frame: object): Promise<void> {
  const sent = Promise.withResolvers<void>()
  // A disconnected client gets nothing more, and its signal ends the loop.
  client.send(JSON.stringify(frame), () => sent.resolve())
  return sent.promise
}
