import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { removeFolder } from '../../src/browsers/folders.ts'
import { openBrowserHost, type BrowserHost } from '../../src/browsers/host.ts'
import type { IsolationMode } from '../../src/browsers/probe-isolation.ts'
import type { BrowserKind } from '../../src/browsers/browser-locations.ts'
import { knownIsolation } from '../../../test/lab/known-isolation.ts'
import { processesNaming } from '../../../test/lab/browser-processes.ts'

/**
 * Creates a data directory. Disposing removes it, even while browsers that are exiting still write
 * to it.
 */
export async function openDataDir(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp('/var/tmp/bowline-test-')
  return { path, [Symbol.asyncDispose]: async () => removeFolder(path) }
}

/** A host with its own data directory. Its isolation is probed once per test process. */
export async function openBrowserFixture(
  choice: BrowserKind = 'shell',
  isolationMode: IsolationMode = 'auto',
): Promise<BrowserHost> {
  const undo = new AsyncDisposableStack()
  const dataDir = undo.use(await openDataDir())
  const isolation = await knownIsolation({ browser: choice, isolation: isolationMode })
  const options = { dataDir: dataDir.path, choice, isolation, environment: process.env }
  const host = undo.use(await openBrowserHost(options))
  return { ...host, [Symbol.asyncDispose]: async () => undo.disposeAsync() }
}

/** Waits until `isTrue` holds, for at most ten seconds. */
export async function until(isTrue: () => boolean, what: string): Promise<void> {
  const signal = AbortSignal.timeout(10_000)
  while (!isTrue()) {
    if (signal.aborted) throw new Error(`timed out after 10 s: ${what}`)
    await sleep(20)
  }
}

/** Waits until no process names the folder on its command line and the folder is gone. */
export async function untilNothingIsLeft(folder: string): Promise<void> {
  await until(() => processesNaming(folder).length === 0, `processes of ${folder} end`)
  await until(() => !existsSync(folder), `${folder} is removed`)
}
