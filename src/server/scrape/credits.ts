import { BowlineError } from '../../kit/errors.ts'
import type { Store } from '../store/store.ts'
import { availableCredits } from '../store/teams.ts'

/** Keeps the scrapes that run at the same time from spending the same credits. */
export class Credits {
  readonly #store: Store
  readonly #held = new Map<string, number>()

  constructor(store: Store) {
    this.#store = store
  }

  /** Holds credits of a team until disposed of. Throws INSUFFICIENT_CREDITS. */
  async hold(teamId: string, credits: number): Promise<Disposable> {
    const held = this.#held.get(teamId) ?? 0
    // Held before the question is asked, so that the next one to ask knows.
    this.#held.set(teamId, held + credits)
    const release = (): void => {
      const left = (this.#held.get(teamId) ?? 0) - credits
      if (left > 0) this.#held.set(teamId, left)
      else this.#held.delete(teamId)
    }
    try {
      const available = await availableCredits(this.#store.db, teamId)
      if (available !== undefined && available - held < credits) {
        const message = `Insufficient credits to perform this request. It costs at least ${credits}, and ${Math.max(0, available - held)} are left.`
        throw new BowlineError('INSUFFICIENT_CREDITS', message, { hint: 'Raise the credits of the team.' })
      }
      return { [Symbol.dispose]: release }
    } catch (error) {
      release()
      throw error
    }
  }
}
