import { abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import type { SessionToolCall, SessionToolResult, ToolDescription } from 'bowline/mcp'
import { isInstalled, packageMissing } from '../kit/optional-package.ts'
import { runEvery } from '../kit/run-every.ts'
import { toError, type ProcessRequest } from './process-messages.ts'
import { processEnded, TeamProcess, type ProcessLimits } from './team-process.ts'

/** Options of `McpHost`. */
export interface McpHostOptions {
  readonly onError: (error: unknown, action: string) => void
  /** Maximum number of processes. */
  readonly maxProcesses: number
  /** Limit of the JavaScript heap of each, in megabytes. Default: 1024. */
  readonly heapMb?: number | undefined
  /** Milliseconds after which an unused process without sessions ends. Default: 5 minutes. */
  readonly idleMs?: number | undefined
  /** Milliseconds between two checks for unused processes. Default: 30 s. */
  readonly checkMs?: number | undefined
  /** Limits after which a process counts as hung. Default: `processLimits`. */
  readonly limits?: ProcessLimits | undefined
}

const processLimits: ProcessLimits = { startMs: 60_000, pingMs: 10_000, graceMs: 15_000 }

/** Milliseconds after which the sessions of an unused process are forgotten. */
const forgottenMs = 3_600_000

/** Milliseconds after which an unused process with sessions makes room for another team. */
const replaceableMs = 600_000

/** Milliseconds that may pass between two requests of a client that has no session yet. */
const betweenRequestsMs = 1000

const busyRetrySeconds = 30

/** A load balancer has noticed by then that the server shuts down. */
const drainRetrySeconds = 5

/** Packages that `/mcp` needs, each with others that contain it. */
const packages = [['@modelcontextprotocol/server'], ['playwright-core', 'playwright', '@playwright/test']] as const

/**
 * Serves MCP and the browser tools of agents, each team in a process of its own: a page that
 * exhausts the memory, or an action that hangs, neither delays other requests nor ends the sessions
 * of other teams. A process starts at the first request of its team. If it fails, or is killed
 * because it hangs, the MCP sessions of the team are lost, and the next request starts another.
 * Unused processes end.
 */
export class McpHost implements AsyncDisposable {
  readonly #onError: McpHostOptions['onError']
  readonly #maxProcesses: number
  readonly #heapMb: number
  readonly #idleMs: number
  readonly #limits: ProcessLimits
  readonly #processes = new Map<string, Promise<TeamProcess>>()
  /** The started ones of `#processes`. */
  readonly #started = new Map<string, TeamProcess>()
  readonly #closing = new Set<Promise<void>>()
  readonly #checks: AsyncDisposable
  #isClosed = false

  constructor(options: McpHostOptions) {
    const { onError, maxProcesses, heapMb = 1024, idleMs = 300_000, checkMs = 30_000, limits = processLimits } = options
    this.#onError = onError
    this.#maxProcesses = maxProcesses
    this.#heapMb = heapMb
    this.#idleMs = idleMs
    this.#limits = limits
    this.#checks = runEvery(checkMs, async () => this.#endUnused(), {
      onError: (error) => onError(error, 'ending MCP processes'),
    })
  }

  /**
   * Responds to a request of a team. Aborting `signal` cancels it. Throws PACKAGE_MISSING if one of
   * the optional packages is not installed, SERVER_BUSY if there are too many processes, and
   * DRAINING if the host is disposed of, also during the request.
   */
  async handle(teamId: string, request: ProcessRequest, signal: AbortSignal): Promise<Response> {
    // Clients reconnect to the streams of lost sessions, for which no process should start.
    const hasSession = request.headers.some(([name]) => name === 'mcp-session-id')
    if (hasSession && !this.#processes.has(teamId)) return sessionLost()
    const missing = packages.filter((names) => !names.some(isInstalled)).map(([name]) => name)
    if (missing.length > 0) throw packageMissing(missing, '/mcp')
    try {
      return await (await abortable(this.#open(teamId), signal)).handle(request, signal)
    } catch (error) {
      throw this.#isClosed ? draining() : error
    }
  }

  /** Describes the browser tools. Throws SERVER_BUSY. */
  async describeTools(teamId: string): Promise<readonly ToolDescription[]> {
    const outcome = await (await this.#open(teamId)).useTools({ kind: 'describe' })
    if ('tools' in outcome) return outcome.tools
    throw toError('error' in outcome ? outcome.error : processEnded)
  }

  /**
   * Calls a browser tool on a session of a team. Failures of the tool are part of the result.
   * Throws PACKAGE_MISSING if Playwright is not installed, SERVER_BUSY, or the signal's reason.
   */
  async callTool(teamId: string, call: SessionToolCall, signal: AbortSignal): Promise<SessionToolResult> {
    const process = await abortable(this.#open(teamId), signal)
    const outcome = await process.useTools({ kind: 'call', call }, signal)
    signal.throwIfAborted()
    if ('output' in outcome) return outcome.output
    throw toError('error' in outcome ? outcome.error : processEnded)
  }

  /** Disconnects the browser tools from a session of a team. */
  releaseTools(teamId: string, sessionId: string): void {
    this.#started.get(teamId)?.send({ kind: 'release', sessionId })
  }

  /** Ids of the running processes by team. */
  get pids(): ReadonlyMap<string, number | undefined> {
    return new Map([...this.#started].map(([teamId, { pid }]) => [teamId, pid]))
  }

  /** Disconnects from all browsers, and ends the processes. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.#checks[Symbol.asyncDispose]()
    await Promise.allSettled(this.#processes.values())
    for (const teamId of this.#started.keys()) this.#close(teamId)
    await Promise.allSettled(this.#closing)
  }

  async #open(teamId: string): Promise<TeamProcess> {
    const running = this.#processes.get(teamId)
    if (running !== undefined) return running
    // A process that starts now would outlive the host.
    if (this.#isClosed) throw draining()
    this.#makeRoom()
    const forget = (): void => {
      if (this.#processes.get(teamId) !== starting) return
      this.#processes.delete(teamId)
      this.#started.delete(teamId)
    }
    // Not in an async function, whose promise would be another one.
    const starting = TeamProcess.start({
      heapMb: this.#heapMb,
      limits: this.#limits,
      onError: (error) => this.#onError(error, 'serving MCP'),
      onExit: forget,
    })
    starting.catch(forget)
    this.#processes.set(teamId, starting)
    const started = await starting
    if (this.#processes.get(teamId) === starting) this.#started.set(teamId, started)
    return started
  }

  /** Ends the process that was unused for longest if there are too many. Throws SERVER_BUSY. */
  #makeRoom(): void {
    const max = this.#maxProcesses
    if (this.#processes.size < max) return
    const [unused] = [...this.#started]
      .filter(([, { sessions, unusedMs }]) => unusedMs > (sessions === 0 ? betweenRequestsMs : replaceableMs))
      .sort(([, a], [, b]) => b.unusedMs - a.unusedMs)
    if (unused !== undefined) return this.#close(unused[0])
    throw new BowlineError('SERVER_BUSY', `${max} teams use MCP or agents, the limit of this server`, {
      hint: 'Retry after the seconds in `Retry-After`. The operator of the server can raise `--max-mcp-teams`.',
      retryAfterSeconds: busyRetrySeconds,
    })
  }

  async #endUnused(): Promise<void> {
    for (const [teamId, { sessions, unusedMs }] of this.#started) {
      if (unusedMs > (sessions === 0 ? this.#idleMs : forgottenMs)) this.#close(teamId)
    }
  }

  /** Ends a process in the background. The next request of its team starts another. */
  #close(teamId: string): void {
    const closed = this.#started.get(teamId)?.close()
    this.#started.delete(teamId)
    this.#processes.delete(teamId)
    if (closed === undefined) return
    this.#closing.add(closed)
    void closed.finally(() => this.#closing.delete(closed))
  }
}

function draining(): BowlineError {
  return new BowlineError('DRAINING', 'This server is shutting down', { retryAfterSeconds: drainRetrySeconds })
}

function sessionLost(): Response {
  const message = 'The MCP session has ended or is unknown. Initialize a new one.'
  return Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_001, message } }, { status: 404 })
}
