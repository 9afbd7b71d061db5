import { once } from 'node:events'
import { chmod, readdir, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { uuidV7 } from 'bowline/kit/ids'
import { isBowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import type { Store, StoreLog } from '../store/store.ts'
import { readStoreFacts, type StoreFacts } from './store-facts.ts'

/** Reply of a server to a connection: a copy of its database, until the connection is closed. */
export type CopyReply =
  | { readonly folder: string; readonly facts: StoreFacts }
  | { readonly error: { readonly code: string; readonly message: string; readonly hint?: string | undefined } }

/** Start of the names of copies in the data directory, which a server deletes when it starts. */
export const copyPrefix = 'store-copy-'

/** Longest path of a socket in bytes, on the systems where it is shortest. */
const maxSocketPath = 103

/** Returns the path of the socket at which a server offers copies of its database. */
export function copySocketPath(dataDir: string): string {
  return join(dataDir, 'backup.sock')
}

/** Deletes copies that a killed server left behind. The caller has locked the data directory. */
export async function removeStoreCopies(dataDir: string): Promise<void> {
  const names = (await readdir(dataDir)).filter((name) => name.startsWith(copyPrefix))
  for (const name of names) await rm(join(dataDir, name), { recursive: true, force: true })
}

/**
 * Offers copies of the embedded database to `bowline-server backup`, at a socket in the data
 * directory that only the owner of the server can open. A copy exists until its connection is
 * closed. Does nothing for PostgreSQL. Warns if the socket cannot be opened.
 */
export async function offerStoreCopies(
  store: Pick<Store, 'db' | 'copyTo'>,
  dataDir: string,
  log: StoreLog,
): Promise<AsyncDisposable> {
  const { copyTo } = store
  if (copyTo === undefined) return { [Symbol.asyncDispose]: async () => undefined }
  await removeStoreCopies(dataDir)
  const open = new Map<Socket, Promise<void>>()
  const serve = async (socket: Socket): Promise<void> => {
    const folder = join(dataDir, `${copyPrefix}${uuidV7()}`)
    const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
    try {
      const reply = await copy(folder)
      socket.write(`${JSON.stringify(reply)}\n`)
      await closed
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  const copy = async (folder: string): Promise<CopyReply> => {
    try {
      // The facts do not change while the server runs, except for keys of profiles saved meanwhile.
      await copyTo(folder)
      return { folder, facts: await readStoreFacts(store.db) }
    } catch (error) {
      log.warn({ err: error }, 'The database could not be copied for a backup')
      const { code, hint } = isBowlineError(error) ? error : { code: 'STORE_FAILED', hint: undefined }
      return { error: { code, message: messageOf(error), hint } }
    }
  }
  const server = createServer((socket) => {
    socket.on('error', () => undefined).resume()
    const serving = serve(socket)
      .catch((err: unknown) => log.warn({ err }, 'A copy of the database could not be deleted'))
      .finally(() => open.delete(socket))
    open.set(socket, serving)
  })
  await listen(server, dataDir).catch((err: unknown) =>
    log.warn({ err }, 'The embedded database cannot be backed up while the server runs, only after it has stopped'),
  )
  return {
    [Symbol.asyncDispose]: async () => {
      server.close()
      for (const socket of open.keys()) socket.destroy()
      await Promise.all(open.values())
      await rm(copySocketPath(dataDir), { force: true })
    },
  }
}

async function listen(server: ReturnType<typeof createServer>, dataDir: string): Promise<void> {
  const path = copySocketPath(dataDir)
  if (Buffer.byteLength(path) > maxSocketPath) {
    throw new Error(`The path ${path} has more than ${maxSocketPath} bytes, the maximum for a socket`)
  }
  // Of a killed server: the data directory is locked, so that no other server listens there.
  await rm(path, { force: true })
  server.listen(path)
  await once(server, 'listening')
  await chmod(path, 0o600)
  // A backup that waits must not keep a process alive that has nothing else to do.
  server.unref()
}
