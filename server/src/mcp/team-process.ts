import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { abortable } from 'bowline/kit/abort'
import type { SessionToolCall } from 'bowline/mcp'
import { threadEnvironment } from '../kit/thread-environment.ts'
import { Watchdog } from './watchdog.ts'
import { PendingResponse } from './pending-response.ts'
import { toError } from './process-messages.ts'
import type { FromProcess, ProcessError, ProcessRequest, ToolOutcome, ToProcess } from './process-messages.ts'

/** Options of `TeamProcess.start`. */
export interface TeamProcessOptions {
  /** Limit of its JavaScript heap, in megabytes. */
  readonly heapMb: number
  readonly limits: ProcessLimits
  readonly onError: (error: unknown) => void
  readonly onExit: () => void
}

/** Time limits after which a process counts as hung and is killed, in milliseconds. */
export interface ProcessLimits {
  /** From its start until it is ready. */
  readonly startMs: number
  /** Between two pings. It is killed if it responds to none of three. */
  readonly pingMs: number
  /** Time of a tool call beyond its own timeout. */
  readonly graceMs: number
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
  readonly #limits: ProcessLimits
  readonly #onError: (error: unknown) => void
  #lastId = 0
  #lastUsedMs = performance.now()
  #sessions = 0
  #isClosing = false

  private constructor(child: ChildProcess, { limits, onError }: TeamProcessOptions) {
    this.#child = child
    this.#limits = limits
    this.#onError = onError
  }

  /** Starts a process. Throws if it ends before it is ready, or takes too long. */
  static async start(options: TeamProcessOptions): Promise<TeamProcess> {
    const { heapMb, limits, onError, onExit } = options
    const child = fork(program, {
      execArgv: [`--max-old-space-size=${heapMb}`],
      env: { ...threadEnvironment(), TMPDIR: tmpdir() },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    child.unref()
    child.channel?.unref()
    const started = new TeamProcess(child, options)
    const lastWords = readStart(child)
    const ready = Promise.withResolvers<void>()
    let watchdog: Watchdog | undefined
    const startTimer = setTimeout(() => started.#kill('was not ready', limits.startMs), limits.startMs)
    const onEnd = (cause: unknown): void => {
      watchdog?.[Symbol.dispose]()
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
      watchdog?.noteMessage()
      if (message.kind === 'ready') ready.resolve()
      else if (message.kind === 'warning') onError(new Error(message.message))
      else started.#receive(message)
    })
    try {
      await ready.promise
    } finally {
      clearTimeout(startTimer)
    }
    watchdog = new Watchdog({
      intervalMs: limits.pingMs,
      ping: () => started.send({ kind: 'ping' }),
      onHung: () => started.#kill('did not respond', 3 * limits.pingMs),
    })
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
    // The process may hang, and not respond to the cancellation either.
    return abortable(pending.response, signal)
  }

  /**
   * Resolves with the outcome of a message about the browser tools, or with an error at once if
   * `signal` aborts. If a call takes longer than its own timeout, the process hangs and is killed.
   * Never rejects.
   */
  async useTools(
    message: { readonly kind: 'describe' } | { readonly kind: 'call'; readonly call: SessionToolCall },
    signal?: AbortSignal,
  ): Promise<ToolOutcome> {
    const id = ++this.#lastId
    const { promise, resolve } = Promise.withResolvers<ToolOutcome>()
    const limitMs = (message.kind === 'call' ? message.call.timeoutMs : describeMs) + this.#limits.graceMs
    // Also after a cancellation, to which a process that works responds.
    const timer = setTimeout(() => this.#kill('did not end a tool call', limitMs), limitMs).unref()
    this.#toolCalls.set(id, (outcome) => {
      clearTimeout(timer)
      this.#toolCalls.delete(id)
      this.#end(id)
      resolve(outcome)
    })
    this.#begin(id)
    const cancel = (): void => {
      this.send({ kind: 'cancel', id })
      resolve({ error: cancelled })
    }
    signal?.addEventListener('abort', cancel, { once: true })
    this.send({ ...message, id })
    if (signal?.aborted === true) cancel()
    const outcome = await promise
    signal?.removeEventListener('abort', cancel)
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

  /** Ends a process that hangs. Its requests then fail. */
  #kill(problem: string, limitMs: number): void {
    this.#onError(new Error(`The MCP process of a team ${problem} within ${limitMs / 1000} s and was killed`))
    this.#child.kill('SIGKILL')
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
const describeMs = 15_000
const maxWords = 2000

/** Error of requests whose process has ended. */
export const processEnded: ProcessError = {
  code: 'UNKNOWN_ERROR',
  message: 'The process that serves MCP and browser tools to this team has ended',
  hint: 'Initialize the MCP session again, or repeat the request.',
}

const cancelled: ProcessError = { code: 'ABORTED', message: 'The call was cancelled', hint: undefined }

/** Keeps the start of what a process writes on stderr. Returns its line with the error. */
function readStart({ stderr }: ChildProcess): () => string {
  let text = ''
  stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(0, maxWords)
  })
  return () => /^.*Error.*$/im.exec(text)?.[0] ?? 'no message'
}
