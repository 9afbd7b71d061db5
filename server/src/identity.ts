import { chmod, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isUuid, newApiKey, uuidV7 } from 'bowline/kit/ids'
import { makeFolder } from 'bowline/kit/make-folder'

/** Reads a small file of the data directory, or makes it once with what `make` gives. Mode 0600. */
async function readOrMake(path: string, isValid: (text: string) => boolean, make: () => string) {
  const found = await readFile(path, 'utf8').then(
    (text) => text.trim(),
    () => '',
  )
  if (isValid(found)) return { text: found, isNew: false }
  const text = make()
  await writePrivate(path, `${text}\n`)
  return { text, isNew: true }
}

/** Writes a file that only its owner can read, whole or not at all. */
export async function writePrivate(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`
  await writeFile(draft, text, { mode: 0o600 })
  await chmod(draft, 0o600)
  await rename(draft, path)
}

/** Who this server is across restarts: the id of its node, and its bootstrap key when none is configured. */
export interface Identity {
  readonly nodeId: string
  readonly apiKey: string
  /** Whether the key was made just now, so that it should be shown. */
  readonly isNewKey: boolean
}

/** Reads the identity kept in `dataDir`, or makes it. A configured key is used and not stored. */
export async function readIdentity(dataDir: string, configuredKey: string | undefined): Promise<Identity> {
  await makeFolder(dataDir)
  const node = await readOrMake(join(dataDir, 'node-id'), isUuid, () => uuidV7())
  if (configuredKey !== undefined) return { nodeId: node.text, apiKey: configuredKey, isNewKey: false }
  const key = await readOrMake(join(dataDir, 'api-key'), (text) => text.length >= 16, newApiKey)
  return { nodeId: node.text, apiKey: key.text, isNewKey: key.isNew }
}
