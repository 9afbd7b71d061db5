import { totalmem } from 'node:os'
import { ByteLimit } from './byte-limit.ts'
import { FrameError } from './frame-error.ts'

const megabyte = 1024 * 1024

/** Limits of `MessageMemory` in bytes. */
export interface MessageMemoryLimits {
  /** Of the connections of one session. Default: 256 MB. */
  readonly sessionBytes?: number | undefined
  /**
   * Of all connections. Default: 512 MB, or an eighth of the memory of the machine if that is more.
   * A team may take half of it.
   */
  readonly totalBytes?: number | undefined
}

/** The owner of a connection. */
export interface MessageOwner {
  readonly id: string
  readonly teamId: string
}

/** The bytes that one connection holds. Disposing it releases them. */
export interface MessageReservation extends Disposable {
  /** Sets the bytes of the unfinished message. Throws FrameError if there is no room for them. */
  readonly set: (bytes: number) => void
}

/** Messages up to this size are not counted. Most commands are smaller, and always have room. */
const freeBytes = 64 * 1024

/**
 * Limits the memory for messages of WebSocket clients that are not complete yet. Their bytes stay
 * in the server until the last of them has arrived, which a client decides.
 */
export class MessageMemory {
  readonly #session: ByteLimit
  readonly #team: ByteLimit
  readonly #total: ByteLimit

  constructor({ sessionBytes = 256 * megabyte, totalBytes = defaultTotalBytes() }: MessageMemoryLimits = {}) {
    this.#session = new ByteLimit(sessionBytes)
    this.#team = new ByteLimit(totalBytes / 2)
    this.#total = new ByteLimit(totalBytes)
  }

  /** Returns the bytes of a new connection, which are none. */
  open({ id, teamId }: MessageOwner): MessageReservation {
    let held = 0
    const set = (bytes: number): void => {
      const added = (bytes > freeBytes ? bytes : 0) - held
      if (added > 0) this.#assertRoom(id, teamId, added)
      held += added
      this.#session.add(id, added)
      this.#team.add(teamId, added)
      this.#total.add('', added)
    }
    return { set, [Symbol.dispose]: () => set(0) }
  }

  #assertRoom(id: string, teamId: string, bytes: number): void {
    if (!this.#session.hasRoom(id, bytes)) {
      const size = sizeOf(this.#session)
      throw new FrameError(1009, `The unfinished messages of the session exceed ${size}: send fewer at a time`)
    }
    if (!this.#team.hasRoom(teamId, bytes)) {
      const size = sizeOf(this.#team)
      throw new FrameError(1013, `The unfinished messages of the team exceed ${size}: send fewer at a time`)
    }
    if (!this.#total.hasRoom('', bytes)) {
      throw new FrameError(1013, 'The server is receiving too many large messages: reconnect in a few seconds')
    }
  }
}

function defaultTotalBytes(): number {
  const memoryBytes = Math.min(process.constrainedMemory() || Infinity, totalmem())
  return Math.max(512 * megabyte, memoryBytes / 8)
}

function sizeOf({ limitBytes }: ByteLimit): string {
  return `${Math.round(limitBytes / megabyte)} MB`
}
