import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { executeLimits, type ExecuteLanguage, type ExecuteOutcome } from 'bowline/contract/execute'
import { parseJson } from 'bowline/kit/parse-json'
import { killGroup } from '../browsers/process-table.ts'
import { interpreterLimits } from './limits.ts'
import { OutputCapture } from './output-capture.ts'
import type { ProcessUsage, UsageWatch } from './usage-watch.ts'

/** A line that an interpreter sends. Untrusted, because user code can write to the same pipe. */
const replyLine = z.object({ id: z.string(), exitCode: z.int(), result: z.string().optional() })

type Reply = z.output<typeof replyLine>

interface Exit {
  readonly exitCode: number
}

/** Time for the output before a reply to arrive. It is later only if the code closed a stream. */
const outputTimeoutMs = 250

/** Longest line of a reply: the result in JSON, in which each character may take six. */
const maxReplyLength = executeLimits.outputBytes * 6 + 1000

/** The process that runs the code of one language in a session, one call at a time. */
export class Interpreter implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #language: ExecuteLanguage
  readonly #stdout: OutputCapture
  readonly #stderr: OutputCapture
  readonly #exited: Promise<Exit>
  /** Sentence about the limit at which it was killed. */
  #killedBy: string | undefined
  #line = ''
  #call: { readonly id: string; readonly resolve: (reply: Reply) => void } | undefined

  /** `child` has stdout, stderr, and pipes for calls and replies as descriptors 3 and 4. */
  constructor(child: ChildProcess, language: ExecuteLanguage, usage: UsageWatch) {
    this.#child = child
    this.#language = language
    const { outputBytes: maxBytes } = executeLimits
    const onFlood = (): void => this.kill(`it wrote more than ${interpreterLimits.floodBytes / 1024 ** 2} MB of output`)
    const options = { maxBytes, floodBytes: interpreterLimits.floodBytes, onFlood }
    this.#stdout = new OutputCapture(child.stdout as Readable, options)
    this.#stderr = new OutputCapture(child.stderr as Readable, options)
    const [, , , calls, replies] = child.stdio as readonly unknown[] as [unknown, unknown, unknown, Writable, Readable]
    calls.on('error', () => {})
    replies.on('error', () => {})
    replies.setEncoding('utf8').on('data', (text: string) => this.#readReplies(text))
    const watched =
      child.pid === undefined ? undefined : usage.watch(child.pid, (processes) => this.#checkUsage(processes))
    this.#exited = once(child, 'exit').then(([code, signal]: unknown[]) => {
      watched?.[Symbol.dispose]()
      if (child.pid !== undefined) killGroup(child.pid)
      return { exitCode: exitCodeOf(code as number | null, signal as NodeJS.Signals | null) }
    })
  }

  /** Resolves when the process has exited. Never rejects. */
  get exited(): Promise<unknown> {
    return this.#exited
  }

  /** Whether it can run code. */
  get isRunning(): boolean {
    return this.#killedBy === undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Returns its output to stderr since the last call. */
  lastWords(): string {
    return String((this.#child.stderr as Readable).read() ?? '').trim()
  }

  /** Runs code. Kills the process after `timeoutMs`. */
  async run(code: string, timeoutMs: number): Promise<ExecuteOutcome> {
    const id = randomUUID()
    const replied = Promise.withResolvers<Reply>()
    this.#call = { id, resolve: replied.resolve }
    const outputs = [this.#stdout, this.#stderr] as const
    for (const output of outputs) output.begin(`\0${id}\0`)
    const timer = setTimeout(() => this.kill(`it ran longer than ${timeoutMs / 1000} s`), timeoutMs)
    const calls = this.#child.stdio[3] as Writable
    calls.write(this.#language === 'bash' ? `${id}\0${code}\0` : `${JSON.stringify({ id, code })}\n`)
    const reply = await Promise.race([replied.promise, this.#exited])
    clearTimeout(timer)
    this.#call = undefined
    await Promise.race([Promise.all(outputs.map(async ({ marked }) => marked)), sleep(outputTimeoutMs)])
    const [stdout, stderr] = outputs.map((output) => output.end())
    return this.#outcome(reply, {
      stdout: stdout?.text ?? '',
      stderr: stderr?.text ?? '',
      isTruncated: [stdout, stderr].some((output) => output?.isTruncated),
    })
  }

  /**
   * Kills the process with all its descendants. `limit` completes "The code was killed because".
   */
  kill(limit: string): void {
    if (!this.isRunning) return
    this.#killedBy = limit
    if (this.#child.pid !== undefined) killGroup(this.#child.pid)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill('its session has ended')
    await this.#exited
  }

  #outcome(
    reply: Reply | Exit,
    {
      stdout,
      stderr,
      isTruncated,
    }: { readonly stdout: string; readonly stderr: string; readonly isTruncated: boolean },
  ): ExecuteOutcome {
    const killed = this.#killedBy !== undefined
    const given = 'result' in reply ? reply.result : undefined
    const result = given ?? stdout
    const isCut = isTruncated || result.length >= executeLimits.outputBytes
    const error = this.#errorOf(reply, stderr)
    return {
      stdout,
      stderr,
      result: result.slice(0, executeLimits.outputBytes),
      exitCode: reply.exitCode,
      killed,
      ...(error === undefined ? {} : { error }),
      ...(isCut ? { truncated: true } : {}),
    }
  }

  #errorOf(reply: Reply | Exit, stderr: string): string | undefined {
    const restart = `The next call starts a new ${this.#language} interpreter, without the bindings of this one.`
    if (this.#killedBy !== undefined) return `The code was killed because ${this.#killedBy}. ${restart}`
    const isEnded = !('id' in reply)
    if (reply.exitCode === 0) return undefined
    const reason = stderr.trim() === '' ? `Execution failed with exit code ${reply.exitCode}` : stderr.trimEnd()
    return isEnded ? `${reason}\n${restart}` : reason
  }

  /** Each call sends one line. An interpreter that floods the server with more is killed. */
  #readReplies(text: string): void {
    if (!this.isRunning) return
    const end = text.indexOf('\n')
    this.#line += end === -1 ? text : text.slice(0, end)
    if (this.#line.length > maxReplyLength) return this.kill('its result was too long')
    if (end === -1 && this.#call !== undefined) return
    const reply = parseReply(this.#line)
    const isOnlyLine = end === text.length - 1
    if (reply === undefined || reply.id !== this.#call?.id || !isOnlyLine) {
      return this.kill('it wrote to the pipe of its interpreter')
    }
    this.#line = ''
    this.#call.resolve(reply)
    this.#call = undefined
  }

  #checkUsage({ memoryBytes, threads, openFiles }: ProcessUsage): void {
    if (memoryBytes > interpreterLimits.memoryBytes)
      this.kill(`it used more than ${interpreterLimits.memoryBytes / 1024 ** 2} MB of memory`)
    // The kernel counts only those in a user namespace apart.
    else if (threads > interpreterLimits.threads * 2)
      this.kill(`it started more than ${interpreterLimits.threads} threads`)
    // Their buffers are memory of the kernel.
    else if (openFiles > interpreterLimits.allOpenFiles)
      this.kill(`it had more than ${interpreterLimits.allOpenFiles} open files and connections`)
  }
}

function parseReply(line: string): Reply | undefined {
  // Other lines are written by the code.
  return replyLine.safeParse(parseJson(line)).data
}

function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal])
}
