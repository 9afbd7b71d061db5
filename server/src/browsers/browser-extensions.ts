import { chmod, chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import type { CdpRouter } from '../cdp/router.ts'
import { extensionIdFrom } from '../kit/extension-id.ts'
import { jailPaths, type BrowserFolder } from './folders.ts'

/** A browser extension to load. */
export interface LaunchExtension {
  /** Value of `chrome.runtime.id`. */
  readonly runtimeId: string
  /** Whether Chromium writes into its folder, as for rules of `declarativeNetRequest`. */
  readonly needsWrite: boolean
  /** Writes its files to an empty folder. */
  readonly unpack: (folder: string) => Promise<void>
}

/**
 * Throws BAD_REQUEST if the browser cannot load extensions, or does not confine them: Chromium
 * applies its policy for WebRTC to web pages, but not to pages of extensions, which could send UDP
 * around the egress proxy.
 */
export function assertLoadsExtensions(kind: 'shell' | 'chromium', hasOwnNetwork: boolean): void {
  if (kind !== 'chromium') {
    throw new BowlineError('BAD_REQUEST', '`extensions` require full Chromium, not the headless shell', {
      hint: 'Start the server with `--browser chromium --isolation strict`.',
    })
  }
  if (hasOwnNetwork) return
  throw new BowlineError(
    'BAD_REQUEST',
    '`extensions` require browsers without access to the network of the server, since pages of extensions can send UDP around the egress proxy',
    { hint: 'Start the server with `--isolation strict`.' },
  )
}

/**
 * Unpacks extensions into the folder of a browser, which can read them but not change them. Returns
 * the bubblewrap arguments that show them to it.
 */
export async function unpackExtensions(
  { extensionsDir }: Pick<BrowserFolder, 'extensionsDir'>,
  extensions: readonly LaunchExtension[],
  uid: number | undefined,
): Promise<readonly string[]> {
  if (extensions.length === 0) return []
  await makeFolder(extensionsDir, uid)
  const mounts = ['--ro-bind', extensionsDir, jailPaths.extensionsDir]
  for (const { runtimeId, needsWrite, unpack } of extensions) {
    const folder = join(extensionsDir, runtimeId)
    await makeFolder(folder, uid)
    await unpack(folder)
    if (needsWrite) mounts.push(...(await makeWritable(folder, runtimeId)))
  }
  return mounts
}

/**
 * Loads the extensions of a browser, which start at once. Called after the options of the session
 * apply to the browser. Throws BAD_REQUEST with the error of Chromium.
 */
export async function loadExtensions({
  router,
  folder,
  extensionIds,
}: {
  readonly router: CdpRouter
  readonly folder: BrowserFolder
  readonly extensionIds: readonly string[]
}): Promise<void> {
  for (const runtimeId of extensionIds) {
    const path = extensionPath(folder, runtimeId)
    const { id } = await router.call('Extensions.loadUnpacked', { path }).catch((cause: unknown): never => {
      if (!isBowlineError(cause)) throw cause
      throw new BowlineError('BAD_REQUEST', `Chromium cannot load the extension: ${cause.message}`, {
        cause,
        hint: 'Correct the extension and upload it again.',
      })
    })
    if (id !== runtimeId) throw new Error(`Chromium loaded the extension ${runtimeId} as ${id}`)
  }
}

/**
 * Ids for which the preferences of a browser must forbid access to files: those of its extensions,
 * and those that Chromium derives from their paths before it has read the manifest.
 */
export function idsWithoutFileAccess(folder: BrowserFolder, extensions: readonly LaunchExtension[]): readonly string[] {
  return extensions.flatMap(({ runtimeId }) => [runtimeId, extensionIdFrom(extensionPath(folder, runtimeId))])
}

function extensionPath({ visiblePaths }: BrowserFolder, runtimeId: string): string {
  return join(visiblePaths.extensionsDir, runtimeId)
}

/**
 * Lets the browser add files to the folder of an extension: Chromium stores parsed rules next to
 * the manifest, and does not load the extension otherwise. The manifest stays as it is: Chromium
 * reads it again when the extension restarts itself.
 */
async function makeWritable(folder: string, runtimeId: string): Promise<readonly string[]> {
  // Sticky: the browser cannot move or delete files of the server.
  await chmod(folder, 0o1770)
  const inside = join(jailPaths.extensionsDir, runtimeId)
  const manifest = 'manifest.json'
  return ['--bind', folder, inside, '--ro-bind', join(folder, manifest), join(inside, manifest)]
}

/** Makes a folder of the server that the browser's user may read. */
async function makeFolder(path: string, uid: number | undefined): Promise<void> {
  await mkdir(path, { mode: 0o750 })
  if (uid === undefined) return
  await chown(path, process.getuid?.() ?? 0, uid)
  await chmod(path, 0o750)
}
