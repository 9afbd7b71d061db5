import { chmod } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { BowlineError } from 'bowline/kit/errors'
import { makeFolder } from 'bowline/kit/make-folder'

/**
 * Takes a directory for this process alone, making it when absent.
 * The kernel gives it back when the process ends, however it ends.
 * Throws `DATA_DIR_IN_USE` when it is taken, here or by another process.
 */
export async function lockFolder(folder: string): Promise<Disposable> {
  await makeFolder(folder)
  // SQLite serves as the portable file lock that Node lacks. Nothing else may open this file in the same process:
  // POSIX drops a lock when any handle of its holder on the file is closed.
  const path = join(folder, 'lock.sqlite')
  const lock = new DatabaseSync(path)
  try {
    lock.exec('pragma busy_timeout = 0; pragma locking_mode = exclusive; begin exclusive')
    // Whoever can open the file can hold its lock, and keep the server from starting.
    await chmod(path, 0o600)
  } catch (cause) {
    lock.close()
    throw new BowlineError('DATA_DIR_IN_USE', `Another server is using the data directory ${resolve(folder)}`, {
      cause,
    })
  }
  return {
    [Symbol.dispose]: () => {
      if (lock.isOpen) lock.close()
    },
  }
}
