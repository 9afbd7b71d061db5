import type { TestSession } from './test-session.ts'

/** Milliseconds without a test after which a worker ends its session, as others may need one. */
const idleMs = 10_000

/** The session that the tests of a worker share. It is opened when the first test needs it. */
export class SharedSession implements AsyncDisposable {
  readonly #open: () => Promise<TestSession>
  readonly #endings = new Set<Promise<unknown>>()
  #opening: Promise<TestSession> | undefined
  #tests = 0
  #isPinned = false
  #idle: NodeJS.Timeout | undefined

  constructor(open: () => Promise<TestSession>) {
    this.#open = open
  }

  /** Returns the session for the rest of the worker, as its handles may be used at any time. */
  async pin(): Promise<TestSession> {
    this.#isPinned = true
    return this.#get()
  }

  /** Returns the session for one test, which must release it. */
  async use(): Promise<TestSession> {
    this.#tests += 1
    return this.#get()
  }

  /** Ends the use by a test. */
  release(): void {
    this.#tests -= 1
    if (this.#tests > 0 || this.#isPinned) return
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#end(), idleMs).unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end()
    await Promise.all(this.#endings)
  }

  async #get(): Promise<TestSession> {
    clearTimeout(this.#idle)
    this.#opening ??= this.#open()
    return this.#opening
  }

  #end(): void {
    clearTimeout(this.#idle)
    const opening = this.#opening
    this.#opening = undefined
    // The test that opened the session has failed with the error.
    const ending = opening?.then(
      async (opened) => opened.end(),
      () => undefined,
    )
    if (ending === undefined) return
    this.#endings.add(ending)
    // Disposing rejects with the error. Until then, it must not end the worker as unhandled.
    ending.catch(() => undefined)
  }
}
