import { statfs } from 'node:fs/promises'

/** Megabytes below which the data directory counts as full: the embedded database needs segments of 16 MB for its log. */
const leastFreeMb = 64

/** Whether the last writes to the store worked. */
export class WriteHealth {
  #error: unknown

  /** Notes the outcome of a write; undefined: it worked. */
  note(error: unknown): void {
    this.#error = error
  }

  get isFailing(): boolean {
    return this.#error !== undefined
  }
}

/** What is known of the room for data. */
export interface DiskState {
  readonly freeMb: number
  readonly isFull: boolean
}

/** Reads how much room is left in a folder for this process. */
export async function readDisk(folder: string, read: typeof statfs = statfs): Promise<DiskState> {
  const { bavail, bsize } = await read(folder)
  const freeMb = Math.floor((bavail * bsize) / 1e6)
  return { freeMb, isFull: freeMb < leastFreeMb }
}

/** The facts that readiness depends on. */
export interface ReadinessFacts {
  readonly isStoreOpen: boolean
  readonly areWritesFailing: boolean
  readonly disk: DiskState | undefined
  readonly isWarm: boolean
  readonly isDraining: boolean
}

/** Why a server should get no new work, a sentence each; none: it is ready. */
export function reasonsNotReady(facts: ReadinessFacts): readonly string[] {
  const { isStoreOpen, areWritesFailing, disk, isWarm, isDraining } = facts
  return [
    ...(isStoreOpen ? [] : ['The database does not answer.']),
    ...(areWritesFailing ? ['The database cannot be written to: see the log of the server.'] : []),
    ...(disk?.isFull === true
      ? [`The disk of the data directory is full: ${disk.freeMb} MB are left. Free some.`]
      : []),
    ...(isWarm ? [] : ['The first browsers are still being started.']),
    ...(isDraining ? ['The server is shutting down.'] : []),
  ]
}
