import { chmod, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isUuid, newApiKey, uuidV7 } from 'bowline/kit/ids'
import { makeFolder } from 'bowline/kit/make-folder'

/** Identity of this server across restarts: its node id and its bootstrap key. */
export interface Identity {
  readonly nodeId: string
  readonly apiKey: string
  /** Whether the key was created by this start and should be shown. */
  readonly isNewKey: boolean
}

/**
 * Reads the identity stored in `dataDir`, or creates it. A configured key is used and not stored.
 */
export async function readIdentity(dataDir: string, configuredKey: string | undefined): Promise<Identity> {
  await makeFolder(dataDir)
  const node = await readOrCreate(join(dataDir, 'node-id'), isUuid, () => uuidV7())
  if (configuredKey !== undefined) return { nodeId: node.text, apiKey: configuredKey, isNewKey: false }
  const key = await readOrCreate(join(dataDir, 'api-key'), (text) => text.length >= 16, newApiKey)
  return { nodeId: node.text, apiKey: key.text, isNewKey: key.isNew }
}

/**
 * Reads a small file of the data directory, or creates it with the text `create` returns. Mode
 * 0600.
 */
async function readOrCreate(path: string, isValid: (text: string) => boolean, create: () => string) {
  const found = await readFile(path, 'utf8').then(
    (text) => text.trim(),
    () => '',
  )
  if (isValid(found)) return { text: found, isNew: false }
  const text = create()
  await writePrivate(path, `${text}\n`)
  return { text, isNew: true }
}

/** Writes a file atomically. Only its owner can read it. */
export async function writePrivate(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`
  await writeFile(draft, text, { mode: 0o600 })
  await chmod(draft, 0o600)
  await rename(draft, path)
}
