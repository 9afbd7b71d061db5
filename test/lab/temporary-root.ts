import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const memory = '/dev/shm'
/** More than a test run needs. Containers often have only 64 MB of shared memory. */
const roomBytes = 6e9

/**
 * Parent of temporary test folders: in memory if there is room. Otherwise, writing the files of a
 * new database to disk takes half of a server's start.
 */
export function temporaryRoot(): string {
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize > roomBytes ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}
