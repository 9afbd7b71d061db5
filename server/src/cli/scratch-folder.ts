import { chmod, mkdtemp, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from 'bowline/kit/make-folder'

/** A temporary folder. Disposing removes it and the folders above it that were created for it. */
export interface ScratchFolder extends AsyncDisposable {
  readonly path: string
}

/**
 * Creates a temporary folder in `parent`, and `parent` if it is missing. Rejects with a system
 * error.
 */
export async function openScratchFolder(parent: string): Promise<ScratchFolder> {
  const missing = await findMissing(parent)
  await using undo = new AsyncDisposableStack()
  // They are empty again, unless a server has started meanwhile.
  for (const folder of missing.toReversed()) undo.defer(async () => rmdir(folder).catch(() => undefined))
  await makeFolder(parent)
  // Like the server, which lets browsers of other users pass.
  if (missing.length > 0) await chmod(parent, 0o711)
  // Short, because the path of a socket in it is limited.
  const path = await mkdtemp(join(parent, 'doctor-'))
  undo.defer(async () => rm(path, { recursive: true, force: true, maxRetries: 5 }))
  const owned = undo.move()
  return { path, [Symbol.asyncDispose]: async () => owned.disposeAsync() }
}

/** Returns the folders of a path that do not exist, innermost first. */
async function findMissing(path: string): Promise<readonly string[]> {
  const parent = dirname(path)
  if (parent === path) return []
  const isMissing = await stat(path).then(
    () => false,
    () => true,
  )
  return isMissing ? [path, ...(await findMissing(parent))] : []
}
