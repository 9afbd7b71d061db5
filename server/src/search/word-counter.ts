import { runEvery } from '../kit/run-every.ts'
import type { Store } from '../store/store.ts'
import { countOldPages, foldWordChanges } from './word-count-queries.ts'

/** Writes per statement. More would block the single connection of the embedded store. */
const writesAtOnce = 16

/** Writes after which words are counted, even if no search waits for them. */
const maxUncounted = 64
const countEveryMs = 30_000

/** Pages of earlier versions that are counted at a time. */
const oldPagesAtOnce = 32

/**
 * Counts in how many pages of a team each word occurs. Counting many writes together costs less
 * than each alone, as they share most words.
 */
export class WordCounter implements AsyncDisposable {
  readonly #db: Store['db']
  readonly #onError: (error: unknown) => void
  readonly #interval: AsyncDisposable
  /** Infinity: writes of an earlier run, or of other servers, may not be counted either. */
  #uncounted = Infinity
  #counting: Promise<void> | undefined

  constructor({ db }: Pick<Store, 'db'>, onError: (error: unknown) => void) {
    this.#db = db
    this.#onError = onError
    this.#interval = runEvery(countEveryMs, async () => this.countAll(), { onError })
  }

  /** Notes a write to the index. Sometimes counts its words. */
  async noteWrite(): Promise<void> {
    this.#uncounted += 1
    if (this.#uncounted >= maxUncounted) await this.count()
  }

  /** Counts the words of all writes that are not counted yet. */
  async count(): Promise<void> {
    while (this.#uncounted > 0) {
      this.#counting ??= this.#countNoted().finally(() => {
        this.#counting = undefined
      })
      await this.#counting
    }
  }

  /** Also counts writes of other servers, and some pages of an earlier version. */
  async countAll(): Promise<void> {
    await countOldPages(this.#db, oldPagesAtOnce)
    this.#uncounted = Infinity
    await this.count()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#interval[Symbol.asyncDispose]()
    await this.#counting
  }

  async #countNoted(): Promise<void> {
    this.#uncounted = 0
    try {
      while ((await foldWordChanges(this.#db, writesAtOnce)) === writesAtOnce) continue
    } catch (error) {
      // The next count includes them.
      this.#onError(error)
    }
  }
}
