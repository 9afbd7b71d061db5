import { sleep } from '../../kit/sleep.ts'
import type { BrowserContext, Page } from 'playwright-core'
import type { HandoffResult } from '../../client/handoff.ts'
import type { Session } from '../../client/session.ts'

/** Hands pages to a human, and waits for the human in steps that are shorter than a tool call. */
export class HumanHelp {
  readonly #session: Pick<Session, 'handoff'>
  #pending: Promise<HandoffResult> | undefined

  constructor(session: Pick<Session, 'handoff'>) {
    this.#session = session
  }

  /** Whether a human was asked and has not answered yet. */
  get isPending(): boolean {
    return this.#pending !== undefined
  }

  /** Hands a page to a human. */
  async ask(page: Page, context: BrowserContext, instructions: string, timeoutMs: number): Promise<void> {
    const cdp = await context.newCDPSession(page)
    const { targetInfo } = await cdp.send('Target.getTargetInfo')
    await cdp.detach()
    this.#pending = this.#session.handoff({ instructions, timeoutMs, targetId: targetInfo.targetId })
    // The error is reported to whoever waits.
    this.#pending.catch(() => undefined)
  }

  /** Waits for the answer. Returns `undefined` if there is none yet. */
  async wait(limitMs: number): Promise<HandoffResult | undefined> {
    const pending = this.#pending
    if (pending === undefined) return undefined
    const stop = new AbortController()
    try {
      const result = await Promise.race([pending, sleep(limitMs, stop.signal)])
      if (result !== undefined) this.#pending = undefined
      return result
    } catch (error) {
      this.#pending = undefined
      throw error
    } finally {
      stop.abort()
    }
  }
}
