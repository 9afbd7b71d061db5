import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const memory = '/dev/shm'
/** What a run of all tests has on it at a time is far less; containers often have 64 MB there. */
const roomBytes = 6e9

/**
 * Where the folders of tests go: into memory when there is room, since each server syncs a thousand files of a new
 * database to the disk, and that is half of the time of its start.
 */
export function temporaryPlace(): string {
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize > roomBytes ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}
