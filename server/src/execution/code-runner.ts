import type { ExecuteLanguage, ExecuteOutcome, ExecuteRequest } from 'bowline/contract/execute'
import { BowlineError } from 'bowline/kit/errors'
import type { Browser } from '../browsers/launch.ts'
import { jailOf, type IsolationLayers } from '../browsers/isolation.ts'
import { sessionEnded } from '../kit/session-ended.ts'
import type { ConnectCdp } from './cdp-port.ts'
import { assertCodeEnabled } from './assert-code-enabled.ts'
import { makeCodeFolder, type CodeFolder } from './code-folder.ts'
import { openCodeStorage, type CodeStorage } from './code-storage.ts'
import type { Interpreter } from './interpreter.ts'
import { interpreterLimits } from './limits.ts'
import { startInterpreter } from './start-interpreter.ts'
import type { UsageWatch } from './usage-watch.ts'

/** The session whose code a `CodeRunner` runs, and how code is isolated on this machine. */
export interface CodeRunnerDeps {
  readonly sessionId: string
  readonly browser: Browser
  readonly isolation: IsolationLayers
  /** Whether the operator chose to run without isolation. Code then runs without bubblewrap. */
  readonly allowsNoIsolation: boolean
  /** Whether the operator allows code. */
  readonly isEnabled: boolean
  readonly usage: UsageWatch
  /** Aborts when the session ends. */
  readonly ended: AbortSignal
  readonly touch: () => void
  readonly suspendIdle: () => () => void
}

/** The interpreter of one language, and the calls that wait for it. */
interface Slot {
  interpreter: Interpreter | undefined
  last: Promise<unknown>
  calls: number
}

/**
 * Runs code beside the browser of a session: one interpreter per language, started by its first
 * call, that keeps its bindings until it is killed or the session ends.
 */
export class CodeRunner implements AsyncDisposable {
  readonly #deps: CodeRunnerDeps
  readonly #slots = new Map<ExecuteLanguage, Slot>()
  #folder: Promise<CodeFolder> | undefined
  #storage: Promise<CodeStorage | undefined> | undefined

  constructor(deps: CodeRunnerDeps) {
    this.#deps = deps
    deps.ended.addEventListener('abort', () => void this[Symbol.asyncDispose]())
  }

  /**
   * Runs code, after the earlier calls of its language. Counts as use of the session. Throws
   * EXECUTION_UNAVAILABLE, EXECUTION_BUSY, EXECUTION_FAILED, or SESSION_ENDED if the session ends
   * first.
   */
  async run({ code, language, timeout }: ExecuteRequest, connectCdp: ConnectCdp): Promise<ExecuteOutcome> {
    assertCodeEnabled(this.#deps.isEnabled)
    if (language === 'bash' && code.includes('\0'))
      throw new BowlineError('BAD_REQUEST', '`code` of bash must not contain NUL characters')
    const slot = this.#slots.get(language) ?? { interpreter: undefined, last: Promise.resolve(), calls: 0 }
    this.#slots.set(language, slot)
    if (slot.calls > interpreterLimits.waitingCalls) {
      const message = `${interpreterLimits.waitingCalls} calls of ${language} already wait in this session`
      throw new BowlineError('EXECUTION_BUSY', message)
    }
    const resumeIdle = this.#deps.suspendIdle()
    slot.calls += 1
    const running = slot.last.then(async () => this.#runNext(slot, { code, language, timeout }, connectCdp))
    slot.last = running.catch(() => undefined)
    try {
      return await running
    } finally {
      slot.calls -= 1
      resumeIdle()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const interpreters = [...this.#slots.values()].map(({ interpreter }) => interpreter)
    await Promise.all(interpreters.map(async (interpreter) => interpreter?.[Symbol.asyncDispose]()))
    const storage = await this.#storage?.catch(() => undefined)
    await storage?.[Symbol.asyncDispose]()
  }

  async #runNext(
    slot: Slot,
    { code, language, timeout }: Pick<ExecuteRequest, 'code' | 'language' | 'timeout'>,
    connectCdp: ConnectCdp,
  ): Promise<ExecuteOutcome> {
    const { ended } = this.#deps
    this.#assertLive()
    try {
      if (slot.interpreter?.isRunning !== true) {
        slot.interpreter = await this.#start(language, connectCdp)
        // The session may have ended meanwhile.
        if (ended.aborted) await slot.interpreter[Symbol.asyncDispose]()
      }
      this.#assertLive()
      const outcome = await slot.interpreter.run(code, timeout * 1000)
      this.#assertLive()
      return outcome
    } catch (error) {
      this.#assertLive()
      throw error
    }
  }

  async #start(language: ExecuteLanguage, connectCdp: ConnectCdp): Promise<Interpreter> {
    const { ended, browser, sessionId, isolation, allowsNoIsolation, usage } = this.#deps
    this.#folder ??= makeCodeFolder(browser.folder.root, browser.uid)
    const folder = await this.#folder
    this.#storage = this.#openStorage(folder, this.#storage)
    const storage = await this.#storage
    this.#assertLive()
    const deps = { sessionId, browser, isolation, allowsNoIsolation, folder, storage, usage, connectCdp }
    return startInterpreter(language, deps, ended)
  }

  /** Opens the files of the session's code, or opens them again if their process has ended. */
  async #openStorage(
    folder: CodeFolder,
    before: Promise<CodeStorage | undefined> | undefined,
  ): Promise<CodeStorage | undefined> {
    const { isolation, browser, ended } = this.#deps
    const opened = await before?.catch(() => undefined)
    const jail = jailOf(isolation)
    if (opened?.isRunning === true || jail === undefined) return opened
    const storage = await openCodeStorage({ jail, folder, uid: browser.uid })
    // The session may have ended meanwhile.
    if (ended.aborted) await storage[Symbol.asyncDispose]()
    return storage
  }

  #assertLive(): void {
    const { ended } = this.#deps
    if (ended.aborted) throw sessionEnded(String(ended.reason))
  }
}
