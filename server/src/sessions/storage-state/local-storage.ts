import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type * as ClassicLevelModule from 'classic-level'
import { loadOptional } from '../../kit/optional-package.ts'

/** One item of an origin's localStorage. */
export interface StorageItem {
  readonly name: string
  readonly value: string
}

/** Loads the package that reads the database of localStorage. Throws PACKAGE_MISSING. */
export async function loadStorageDatabase(): Promise<typeof ClassicLevelModule> {
  return loadOptional('classic-level', 'profile export', async () => import('classic-level'))
}

/**
 * Reads the localStorage of every origin from a user-data-dir that no browser uses. Throws
 * PACKAGE_MISSING.
 */
export async function readLocalStorage(userDataDir: string): Promise<ReadonlyMap<string, readonly StorageItem[]>> {
  const { ClassicLevel } = await loadStorageDatabase()
  const path = join(userDataDir, 'Default/Local Storage/leveldb')
  const found = new Map<string, StorageItem[]>()
  // A profile without `localStorage` has no such folder.
  if ((await stat(path).catch(() => undefined)) === undefined) return found
  const database = new ClassicLevel<Buffer, Buffer>(path, {
    createIfMissing: false,
    keyEncoding: 'buffer',
    valueEncoding: 'buffer',
  })
  await database.open()
  await using undo = new AsyncDisposableStack()
  undo.defer(async () => database.close())
  for await (const [key, value] of database.iterator()) {
    const item = parseItem(key, value)
    if (item === undefined) continue
    const items = found.get(item.origin) ?? []
    items.push({ name: item.name, value: item.value })
    found.set(item.origin, items)
  }
  return found
}

/** Parses an item. Keys consist of `_`, the origin, a zero byte and the name. */
function parseItem(key: Buffer, value: Buffer): (StorageItem & { readonly origin: string }) | undefined {
  const end = key.indexOf(0)
  if (key[0] !== 0x5f || end === -1) return undefined
  const origin = key.toString('latin1', 1, end)
  // Storage partitioned by an embedding site has a longer key, which storageState cannot express.
  if (URL.parse(origin)?.origin !== origin) return undefined
  return { origin, name: toText(key.subarray(end + 1)), value: toText(value) }
}

/** Decodes a string. Its first byte is the encoding: 0 for UTF-16, 1 for Latin-1. */
function toText(bytes: Buffer): string {
  return bytes.toString(bytes[0] === 0 ? 'utf16le' : 'latin1', 1)
}
