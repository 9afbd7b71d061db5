import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SessionToolCall } from 'bowline/mcp'
import { threadEnvironment } from '../kit/thread-environment.ts'
import { PendingResponse } from './pending-response.ts'
import { toError } from './process-messages.ts'
import type { FromProcess, ProcessError, ProcessRequest, ToolOutcome, ToProcess } from './process-messages.ts'

/** Options of `TeamProcess.start`. */
export interface TeamProcessOptions {
  /** Limit of its JavaScript heap, in megabytes. */
  readonly heapMb: number
  readonly onError: (error: unknown) => void
  readonly onExit: () => void
}

/**
 * A process that serves MCP to one team, and the requests in it. A thread would not do: V8 ends the
 * whole process if a single operation, such as parsing a large message, exceeds the heap.
 */
export class TeamProcess {
  readonly #child: ChildProcess
  readonly #requests = new Map<number, PendingResponse>()
  readonly #toolCalls = new Map<number, (outcome: ToolOutcome) => void>()
  /** Ids of what is being worked on. Streams of messages to the client are not. */
  readonly #work = new Set<number>()
  #lastId = 0
  #lastUsedMs = performance.now()
  #sessions = 0
  #isClosing = false

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  /** Starts a process. Throws if it ends before it is ready. */
  static async start({ heapMb, onError, onExit }: TeamProcessOptions): Promise<TeamProcess> {
    const child = fork(program, {
      execArgv: [`--max-old-space-size=${heapMb}`],
      env: { ...threadEnvironment(), TMPDIR: tmpdir() },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    child.unref()
    child.channel?.unref()
    const started = new TeamProcess(child)
    const lastWords = readStart(child)
    const ready = Promise.withResolvers<void>()
    const onEnd = (cause: unknown): void => {
      onExit()
      ready.reject(toError(processEnded))
      if (!started.#isClosing) onError(cause)
      started.#failAll()
    }
    child.once('error', onEnd)
    child.once('exit', (code, signal) =>
      onEnd(new Error(`The MCP process of a team has ended (${signal ?? code}): ${lastWords()}`)),
    )
    child.on('message', (message: FromProcess) => {
      if (message.kind === 'ready') ready.resolve()
      else if (message.kind === 'warning') onError(new Error(message.message))
      else started.#receive(message)
    })
    await ready.promise
    return started
  }

  /** Id of the process, for tests. */
  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Number of sessions that would be lost with it. */
  get sessions(): number {
    return this.#sessions
  }

  /** Milliseconds since it was used, or 0 if it is being used. */
  get unusedMs(): number {
    return this.#work.size > 0 ? 0 : performance.now() - this.#lastUsedMs
  }

  /** Responds to a request. Aborting `signal` cancels it. Throws its reason if it is aborted. */
  async handle(request: ProcessRequest, signal: AbortSignal): Promise<Response> {
    signal.throwIfAborted()
    const id = ++this.#lastId
    const pending = new PendingResponse(() => this.#cancel(id))
    this.#requests.set(id, pending)
    if (request.method !== 'GET') this.#begin(id)
    signal.addEventListener('abort', () => this.#cancel(id), { once: true })
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
    this.#begin(id)
    const cancel = (): void => this.send({ kind: 'cancel', id })
    signal?.addEventListener('abort', cancel, { once: true })
    this.send({ ...message, id })
    if (signal?.aborted === true) cancel()
    const outcome = await promise
    signal?.removeEventListener('abort', cancel)
    this.#toolCalls.delete(id)
    this.#end(id)
    return outcome
  }

  /** Closes its connections, and ends it after at most 2 s. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#isClosing = true
    const exited = once(this.#child, 'exit')
    this.send({ kind: 'close' })
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), closeLimitMs)
    await exited
    clearTimeout(kill)
  }

  /** Sends a message to the process, unless it has ended. */
  send(message: ToProcess): void {
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }

  #begin(id: number): void {
    this.#work.add(id)
    this.#lastUsedMs = performance.now()
  }

  #end(id: number): void {
    if (this.#work.delete(id)) this.#lastUsedMs = performance.now()
  }

  #receive(message: FromProcess): void {
    if (message.kind === 'sessions') this.#sessions = message.count
    if (!('id' in message)) return
    if (message.kind === 'result') return this.#toolCalls.get(message.id)?.(message.result)
    this.#requests.get(message.id)?.receive(message)
    if (message.kind !== 'end') return
    this.#requests.delete(message.id)
    this.#end(message.id)
  }

  #cancel(id: number): void {
    if (this.#requests.has(id)) this.send({ kind: 'cancel', id })
  }

  #failAll(): void {
    for (const [id, pending] of this.#requests) pending.receive({ kind: 'end', id, error: processEnded })
    this.#requests.clear()
    for (const resolve of this.#toolCalls.values()) resolve({ error: processEnded })
  }
}

const program = fileURLToPath(new URL(`./mcp-process${extname(import.meta.filename)}`, import.meta.url))
const closeLimitMs = 2000
const maxWords = 2000

/** Error of requests whose process has ended. */
export const processEnded: ProcessError = {
  code: 'UNKNOWN_ERROR',
  message: 'The process that serves MCP and browser tools to this team has ended',
  hint: 'Initialize the MCP session again, or repeat the request.',
}

/** Keeps the start of what a process writes on stderr. Returns its line with the error. */
function readStart({ stderr }: ChildProcess): () => string {
  let text = ''
  stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(0, maxWords)
  })
  return () => /^.*Error.*$/im.exec(text)?.[0] ?? 'no message'
}
