import { join } from 'node:path'
import { assertFreeSpace } from './assert-free-space.ts'
import { copyFolder } from './copy-folder.ts'
import { lockFolder } from './lock.ts'
import { startMaintenance } from './maintenance.ts'
import { createPgliteFolder } from './create-pglite-folder.ts'
import { migrate } from './migrate.ts'
import type { Store, StoreOptions } from './store.ts'
import { startPglite } from './pglite.ts'
import { createQueryBuilder } from './create-query-builder.ts'
import { createSingleConnection } from './single-connection.ts'
import { pathExists } from '../kit/path-exists.ts'

/**
 * Opens the embedded database in `dataDir`. Creates and migrates it if needed. Throws
 * DATA_DIR_IN_USE, DATA_DIR_UNUSABLE or STORE_FAILED.
 */
export async function openPglite(options: StoreOptions): Promise<Omit<Store, 'ping'>> {
  await using undo = new AsyncDisposableStack()
  undo.use(await lockFolder(options.dataDir))
  const folder = join(options.dataDir, 'pg')
  const isNew = !(await pathExists(folder))
  await assertFreeSpace(options.dataDir, { isNew })
  if (isNew) await createPgliteFolder(folder, options)
  const lite = undo.use(await startPglite({ folder }))
  const { pool, raw, connections, whileUnchanged } = createSingleConnection(lite)
  const db = createQueryBuilder(pool)
  undo.defer(() => db.destroy())
  await migrate(db)
  undo.use(startMaintenance(db, { log: options.log }))
  const owned = undo.move()
  // `died` never rejects and stays pending unless the database crashes.
  void lite.died.then((error) => options.onFatal?.(error))
  const copyTo = async (copy: string): Promise<void> => whileUnchanged(async () => copyFolder(folder, copy))
  return {
    kind: 'pglite',
    db,
    heartbeatDb: db,
    raw,
    connections,
    copyTo,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
