import { BowlineError } from 'bowline/kit/errors'
import { ByteCounts } from '../kit/byte-limit.ts'

const megabyte = 1024 * 1024

/** Maximum size of all bodies that the server holds in memory, in bytes. */
const defaultLimitBytes = 512 * megabyte

/** Memory that a chunk of a body takes in addition to its bytes. */
export const chunkOverheadBytes = 256

/** The bytes that one request holds. Disposing it releases them. */
export interface HeldBytes extends Disposable {
  /** Adds bytes. Throws SERVER_BUSY if the requests then hold too many. */
  readonly add: (bytes: number) => void
  /** Releases some of the bytes. */
  readonly release: (bytes: number) => void
  /** Throws SERVER_BUSY if there is no room for a body of this size. Adds nothing. */
  readonly assertRoom: (bytes: number) => void
}

/**
 * Limits the memory for the bodies of all requests together. Each body counts from its first byte
 * until its request ends, because the server works on it. A team may hold as much as it leaves
 * free for others: half of the memory if it is the only one, and a quarter beside one that holds
 * half.
 */
export class BodyMemory {
  readonly #limitBytes: number
  readonly #teams = new ByteCounts()
  #bytes = 0

  constructor({ limitBytes = defaultLimitBytes }: { readonly limitBytes?: number | undefined } = {}) {
    this.#limitBytes = limitBytes
  }

  /** Returns the bytes of a new request of a team, which are none. */
  open(teamId: string): HeldBytes {
    let held = 0
    const add = (bytes: number): void => {
      held += bytes
      this.#bytes += bytes
      this.#teams.add(teamId, bytes)
    }
    return {
      assertRoom: (bytes) => this.#assertRoom(teamId, bytes),
      release: (bytes) => add(-bytes),
      add: (bytes) => {
        this.#assertRoom(teamId, bytes)
        add(bytes)
      },
      [Symbol.dispose]: () => add(-held),
    }
  }

  #assertRoom(teamId: string, bytes: number): void {
    const ofTeam = this.#teams.of(teamId)
    if (ofTeam + bytes <= this.#limitBytes - this.#bytes - bytes) return
    if (ofTeam >= this.#bytes - ofTeam) {
      const size = `${Math.round(ofTeam / megabyte)} MB`
      throw busy(`This team is already sending ${size} of files and JSON, which is close to its limit`)
    }
    const size = `${Math.round(this.#bytes / megabyte)} MB`
    throw busy(`The server is already receiving and parsing ${size} of files and JSON, which is close to its limit`)
  }
}

function busy(message: string): BowlineError {
  const hint = 'Send fewer large bodies at a time, and retry after the seconds in `Retry-After`.'
  return new BowlineError('SERVER_BUSY', message, { hint, retryAfterSeconds: 5 })
}
