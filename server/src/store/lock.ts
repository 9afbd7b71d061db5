import { chmod } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { BowlineError } from 'bowline/kit/errors'
import { makeFolder } from 'bowline/kit/make-folder'

/**
 * Locks a directory exclusively and creates it if needed. The kernel releases the lock when the
 * process exits, even after a crash. Throws DATA_DIR_IN_USE if this or another process holds the
 * lock, and DATA_DIR_UNUSABLE if the file cannot be written, such as on a full disk.
 */
export async function lockFolder(folder: string): Promise<Disposable> {
  await makeFolder(folder)
  // Node has no portable file lock, so SQLite's is used. Nothing else in this process may open the
  // file: POSIX releases a process's locks on a file when it closes any handle of that file.
  const path = join(folder, 'lock.sqlite')
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(path)
    // In memory, because other users could read the file of the journal. Nothing is written.
    lock.exec('pragma busy_timeout = 0; pragma journal_mode = memory')
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
    // Other users must not be able to open the file: they could lock it and block the server.
    await chmod(path, 0o600)
  } catch (cause) {
    lock?.close()
    throw lockFailure(resolve(folder), cause)
  }
  const held = lock
  return {
    [Symbol.dispose]: () => {
      if (held.isOpen) held.close()
    },
  }
}

/** SQLite's error code for a lock that is held by someone else. */
const busyCode = 5

function lockFailure(folder: string, cause: unknown): BowlineError {
  if (!(cause instanceof Error) || !('errcode' in cause) || cause.errcode === busyCode) {
    return new BowlineError('DATA_DIR_IN_USE', `Another server is using the data directory ${folder}`, { cause })
  }
  return new BowlineError('DATA_DIR_UNUSABLE', `The data directory ${folder} cannot be used: ${cause.message}`, {
    cause,
  })
}
