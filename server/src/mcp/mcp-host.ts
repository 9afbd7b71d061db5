import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { BowlineError } from 'bowline/kit/errors'
import type { SessionToolCall, SessionToolResult, ToolDescription } from 'bowline/mcp'
import type { FromThread, ThreadError, ThreadRequest, ToolOutcome, ToThread } from './thread-messages.ts'

/**
 * Runs the MCP endpoint in a worker thread, so that large pages of agents neither delay other
 * requests nor use up the memory of the server. The thread starts at the first request, because few
 * servers use MCP. If it fails, its MCP sessions are lost, and the next request starts another.
 */
export class McpHost implements AsyncDisposable {
  readonly #onError: (error: unknown, action: string) => void
  #thread: Promise<McpThread> | undefined

  constructor(onError: (error: unknown, action: string) => void) {
    this.#onError = onError
  }

  /**
   * Responds to a request. Aborting `signal` cancels it. Throws PACKAGE_MISSING if one of the
   * optional packages is not installed.
   */
  async handle(request: ThreadRequest, signal: AbortSignal): Promise<Response> {
    const thread = await this.#open()
    return thread.handle(request, signal)
  }

  /** Describes the browser tools. */
  async describeTools(): Promise<readonly ToolDescription[]> {
    const outcome = await (await this.#open()).useTools({ kind: 'describe' })
    return 'tools' in outcome ? outcome.tools : []
  }

  /**
   * Calls a browser tool on a session. Failures of the tool are part of the result. Throws
   * PACKAGE_MISSING if Playwright is not installed, or the signal's reason.
   */
  async callTool(call: SessionToolCall, signal: AbortSignal): Promise<SessionToolResult> {
    const outcome = await (await this.#open()).useTools({ kind: 'call', call }, signal)
    signal.throwIfAborted()
    if ('output' in outcome) return outcome.output
    throw toError('error' in outcome ? outcome.error : threadEnded)
  }

  /** Disconnects the browser tools from a session. */
  async releaseTools(sessionId: string): Promise<void> {
    const thread = await this.#thread?.catch(() => undefined)
    thread?.send({ kind: 'release', sessionId })
  }

  /** Disconnects from all browsers, and ends the thread. */
  async [Symbol.asyncDispose](): Promise<void> {
    const thread = await this.#thread?.catch(() => undefined)
    await thread?.close()
  }

  async #open(): Promise<McpThread> {
    if (this.#thread === undefined) {
      const forget = (): void => {
        if (this.#thread === starting) this.#thread = undefined
      }
      // Not in an async function, whose promise would be another one.
      const starting = McpThread.start((error) => this.#onError(error, 'serving MCP'), forget)
      starting.catch(forget)
      this.#thread = starting
    }
    return this.#thread
  }
}

/** A running thread, and the requests in it. */
class McpThread {
  readonly #worker: Worker
  readonly #requests = new Map<number, PendingResponse>()
  readonly #toolCalls = new Map<number, (outcome: ToolOutcome) => void>()
  #lastId = 0

  constructor(worker: Worker) {
    this.#worker = worker
  }

  static async start(onError: (error: unknown) => void, onExit: () => void): Promise<McpThread> {
    const worker = new Worker(new URL(`./mcp-thread${extname(import.meta.filename)}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    })
    worker.unref()
    const thread = new McpThread(worker)
    const ready = Promise.withResolvers<void>()
    worker.on('error', (error) => {
      onError(error)
      ready.reject(error)
    })
    worker.on('exit', () => {
      onExit()
      ready.reject(toError(threadEnded))
      thread.#failAll()
    })
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'ready') ready.resolve()
      else if (message.kind === 'warning') onError(new Error(message.message))
      else thread.#receive(message)
    })
    await ready.promise
    return thread
  }

  async handle(request: ThreadRequest, signal: AbortSignal): Promise<Response> {
    const id = ++this.#lastId
    const pending = new PendingResponse(() => this.#cancel(id))
    this.#requests.set(id, pending)
    if (signal.aborted) this.#cancel(id)
    else signal.addEventListener('abort', () => this.#cancel(id), { once: true })
    this.send({ kind: 'request', id, request })
    return pending.response
  }

  /** Resolves with the outcome of a message about the browser tools. Never rejects. */
  async useTools(
    message: { readonly kind: 'describe' } | { readonly kind: 'call'; readonly call: SessionToolCall },
    signal?: AbortSignal,
  ): Promise<ToolOutcome> {
    const id = ++this.#lastId
    const { promise, resolve } = Promise.withResolvers<ToolOutcome>()
    this.#toolCalls.set(id, resolve)
    const cancel = (): void => this.send({ kind: 'cancel', id })
    signal?.addEventListener('abort', cancel, { once: true })
    this.send({ ...message, id })
    if (signal?.aborted === true) cancel()
    const outcome = await promise
    signal?.removeEventListener('abort', cancel)
    this.#toolCalls.delete(id)
    return outcome
  }

  /** Closes the connections of the thread, and ends it after at most 2 s. */
  async close(): Promise<void> {
    const closed = once(this.#worker, 'exit', { signal: AbortSignal.timeout(closeLimitMs) }).catch(() => undefined)
    this.#worker.on('message', ({ kind }: FromThread) => kind === 'closed' && void this.#worker.terminate())
    this.send({ kind: 'close' })
    await closed
    await this.#worker.terminate()
  }

  #receive(message: FromThread): void {
    if (!('id' in message)) return
    if (message.kind === 'result') return this.#toolCalls.get(message.id)?.(message.result)
    const pending = this.#requests.get(message.id)
    pending?.receive(message)
    if (message.kind === 'end') this.#requests.delete(message.id)
  }

  #cancel(id: number): void {
    if (this.#requests.has(id)) this.send({ kind: 'cancel', id })
  }

  #failAll(): void {
    for (const [id, pending] of this.#requests) {
      pending.receive({ kind: 'end', id, error: threadEnded })
    }
    this.#requests.clear()
    for (const resolve of this.#toolCalls.values()) resolve({ error: threadEnded })
  }

  /** Sends a message to the thread. */
  send(message: ToThread): void {
    this.#worker.postMessage(message)
  }
}

/** A response whose parts arrive as messages. */
class PendingResponse {
  readonly response: Promise<Response>
  readonly #head = Promise.withResolvers<Response>()
  readonly #body: ReadableStream<Uint8Array>
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #isOpen = true

  constructor(onCancel: () => void) {
    this.response = this.#head.promise
    this.#body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller
      },
      cancel: () => {
        this.#isOpen = false
        onCancel()
      },
    })
  }

  receive(message: FromThread): void {
    if (message.kind === 'head') {
      const { status, headers } = message
      const isEmpty = status === 204 || status === 304
      this.#head.resolve(
        new Response(isEmpty ? null : this.#body, {
          status,
          headers: headers.map(([name, value]): [string, string] => [name, value]),
        }),
      )
    } else if (message.kind === 'chunk' && this.#isOpen) this.#controller?.enqueue(message.chunk)
    else if (message.kind === 'end' && this.#isOpen) this.#end(message.error)
  }

  #end(error: ThreadError | undefined): void {
    this.#isOpen = false
    if (error === undefined) return this.#controller?.close()
    this.#head.reject(toError(error))
    this.#controller?.error(toError(error))
  }
}

const heapMb = 1024
const closeLimitMs = 2000

const threadEnded: ThreadError = {
  code: 'UNKNOWN_ERROR',
  message: 'The thread that serves MCP and browser tools has ended',
  hint: 'Initialize the MCP session again, or repeat the request.',
}

function toError({ code, message, hint }: ThreadError): BowlineError {
  return new BowlineError(code, message, { hint })
}
