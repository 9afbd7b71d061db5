import { statfs } from 'node:fs/promises'

/**
 * Megabytes of free space below which the disk counts as full. The embedded database writes its log
 * in segments of 16 MB.
 */
const minFreeMb = 64

/** Free disk space. */
export interface DiskState {
  readonly freeMb: number
  readonly isFull: boolean
}

/** Reads the disk space that this process may use in a folder. */
export async function readDisk(folder: string, read: typeof statfs = statfs): Promise<DiskState> {
  const { bavail, bsize } = await read(folder)
  const freeMb = Math.floor((bavail * bsize) / 1e6)
  return { freeMb, isFull: freeMb < minFreeMb }
}

/** Inputs of the readiness check. */
export interface ReadinessInputs {
  readonly isStoreOpen: boolean
  readonly areWritesFailing: boolean
  readonly disk: DiskState | undefined
  readonly isWarm: boolean
  readonly isDraining: boolean
}

/** Returns why the server should get no new work, one sentence each. Empty if it is ready. */
export function reasonsNotReady(inputs: ReadinessInputs): readonly string[] {
  const { isStoreOpen, areWritesFailing, disk, isWarm, isDraining } = inputs
  return [
    ...(isStoreOpen ? [] : ['The database does not respond.']),
    ...(areWritesFailing ? ['Writes to the database fail. See the server log.'] : []),
    ...(disk?.isFull === true
      ? [`The disk of the data directory is full: ${disk.freeMb} MB left. Free up space.`]
      : []),
    ...(isWarm ? [] : ['The first browsers are still starting.']),
    ...(isDraining ? ['The server is shutting down.'] : []),
  ]
}
