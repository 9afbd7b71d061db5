import type { ServerResponse } from 'node:http'
import { BowlineError } from 'bowline/kit/errors'
import { jsonLength } from '../kit/json-chunks.ts'

/** Maximum size of all responses that the clients of a team have not read yet, in bytes. */
const defaultLimitBytes = 256 * 1024 * 1024

/** Smaller responses are not counted, because the system buffers them. */
const countedBytes = 64 * 1024

/**
 * Limits the memory for responses that the clients of a team have not read: a response can have
 * tens of megabytes, and stays in memory until it is read or its connection is closed.
 */
export class ResponseMemory {
  readonly #limitBytes: number
  readonly #bytesOf = new Map<string, number>()

  constructor({ limitBytes = defaultLimitBytes }: { readonly limitBytes?: number | undefined } = {}) {
    this.#limitBytes = limitBytes
  }

  /** Throws SERVER_BUSY if the clients of a team do not read their responses. */
  assertRoom(teamId: string): void {
    if ((this.#bytesOf.get(teamId) ?? 0) < this.#limitBytes) return
    const size = `${Math.round(this.#limitBytes / 1024 / 1024)} MB`
    throw new BowlineError('SERVER_BUSY', `The clients of this team have not read ${size} of earlier responses`, {
      hint: 'Read responses to their end, or close their connections.',
      retryAfterSeconds: 5,
    })
  }

  /** Counts a value that is sent as JSON, until the result is disposed. */
  hold(teamId: string, value: unknown): Disposable {
    const length = jsonLength(value)
    const bytes = length < countedBytes ? 0 : length
    this.#add(teamId, bytes)
    let isHeld = true
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#add(teamId, -bytes)
        isHeld = false
      },
    }
  }

  /** Counts the JSON of a response until it is sent or its connection closes. */
  holdUntilSent(teamId: string, value: unknown, response: ServerResponse): void {
    const held = this.hold(teamId, value)
    const release = (): void => held[Symbol.dispose]()
    if (response.destroyed) return release()
    response.once('finish', release)
    response.once('close', release)
  }

  #add(teamId: string, bytes: number): void {
    const sum = (this.#bytesOf.get(teamId) ?? 0) + bytes
    if (sum === 0) this.#bytesOf.delete(teamId)
    else this.#bytesOf.set(teamId, sum)
  }
}
