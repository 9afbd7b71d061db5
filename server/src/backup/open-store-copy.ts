import { access } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { createQueryBuilder } from '../store/create-query-builder.ts'
import { lockFolder } from '../store/lock.ts'
import { startPglite } from '../store/pglite.ts'
import { createSingleConnection } from '../store/single-connection.ts'
import { copySocketPath, type CopyReply } from './store-copies.ts'
import { readStoreFacts, type StoreFacts } from './store-facts.ts'

/** Files of an embedded database that do not change until it is disposed. */
export interface StoreCopy extends AsyncDisposable {
  readonly folder: string
  readonly facts: StoreFacts
}

/**
 * Opens the embedded database of a data directory for reading its files. A running server makes a
 * copy; without one, the data directory is locked. Throws DATA_DIR_IN_USE if something else uses
 * it.
 */
export async function openStoreCopy(dataDir: string): Promise<StoreCopy> {
  try {
    return await openStopped(dataDir)
  } catch (error) {
    if (isBowlineError(error) && error.code === 'DATA_DIR_IN_USE') return await requestCopy(dataDir)
    throw error
  }
}

/** Throws STORE_FAILED if a data directory has no embedded database. */
export async function assertStoreExists(dataDir: string): Promise<void> {
  await access(join(dataDir, 'pg')).catch((cause: unknown) => {
    throw new BowlineError('STORE_FAILED', `The data directory ${dataDir} has no embedded database`, {
      cause,
      hint: 'Set `--data-dir` to the data directory of the server, or `--database-url` if it uses PostgreSQL.',
    })
  })
}

async function openStopped(dataDir: string): Promise<StoreCopy> {
  await using undo = new AsyncDisposableStack()
  undo.use(await lockFolder(dataDir))
  const folder = join(dataDir, 'pg')
  const facts = await readFacts(folder)
  const owned = undo.move()
  return { folder, facts, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Opens a database that no server uses, which also recovers it from a crash. */
async function readFacts(folder: string): Promise<StoreFacts> {
  await using lite = await startPglite({ folder })
  return await readStoreFacts(createQueryBuilder(createSingleConnection(lite).pool))
}

async function requestCopy(dataDir: string): Promise<StoreCopy> {
  const path = copySocketPath(dataDir)
  const socket = connect(path)
  const close = async (): Promise<void> => {
    socket.destroy()
  }
  try {
    const reply = await readReply(socket)
    if ('error' in reply) throw new BowlineError(reply.error.code, reply.error.message, { hint: reply.error.hint })
    // The server deletes the copy when the connection is closed.
    socket.on('error', () => undefined)
    return { ...reply, [Symbol.asyncDispose]: close }
  } catch (cause) {
    await close()
    if (isBowlineError(cause)) throw cause
    throw new BowlineError(
      'DATA_DIR_IN_USE',
      `The data directory ${dataDir} is in use, but nothing responds at ${path}, where a running server copies its database`,
      {
        cause,
        hint: 'Run the backup as the user of the server and on its machine, or stop the server first. Another command, such as a backup, may be using the directory: try again.',
      },
    )
  }
}

/** Reads the line that the server sends, and keeps the connection open. */
async function readReply(socket: Socket): Promise<CopyReply> {
  return new Promise((resolve, reject) => {
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
      if (text.endsWith('\n')) resolve(JSON.parse(text) as CopyReply)
    })
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('The server closed the connection')))
  })
}
