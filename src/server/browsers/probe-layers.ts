import { execFile } from 'node:child_process'
import { access, constants, statfs } from 'node:fs/promises'
import { isMainThread } from 'node:worker_threads'
import { promisify } from 'node:util'
import type { BrowserBinary } from './find.ts'
import type { BootFolder } from './folders.ts'
import { launchBrowser } from './launch.ts'
import type { Layers } from './layers.ts'

const setprivPaths = ['/usr/bin/setpriv', '/bin/setpriv']

// What Chromium takes for one page with large images, several times over.
const smallShmBytes = 1024 ** 3

/** Whether this server can run browsers as other users. */
export const canSwitchUser = (): boolean => process.getuid?.() === 0

/**
 * Finds out which layers hold on this machine, by starting a browser in the best of them and stepping down until one
 * starts. Throws BROWSER_START_FAILED when none does.
 */
export const probeLayers = async (binary: BrowserBinary, boot: BootFolder, signal?: AbortSignal): Promise<Layers> => {
  const machine = { setprivPath: await findSetpriv(), isShmSmall: await isShmSmall() }
  let problem: unknown
  for (const step of ladder()) {
    const layers: Layers = { ...machine, ...step }
    try {
      await using _browser = await launchBrowser({ binary, layers, boot }, {}, signal)
      return layers
    } catch (error) {
      signal?.throwIfAborted()
      // The reason of the best step says most.
      problem ??= error
    }
  }
  throw problem
}

/** From best to worst. Never without the sandbox while any user can have it, and as root only when there is no other user. */
const ladder = (): readonly Pick<Layers, 'runAs' | 'isSandboxed'>[] =>
  canSwitchUser()
    ? [
        { runAs: 'each', isSandboxed: true },
        { runAs: 'nobody', isSandboxed: true },
        { runAs: 'each', isSandboxed: false },
        { runAs: 'nobody', isSandboxed: false },
        { runAs: 'self', isSandboxed: false },
      ]
    : [
        { runAs: 'self', isSandboxed: true },
        { runAs: 'self', isSandboxed: false },
      ]

const findSetpriv = async (): Promise<string | undefined> => {
  // The signal comes when the starting thread ends, and only the main thread lasts as long as the server.
  if (!isMainThread) return undefined
  for (const path of setprivPaths) {
    try {
      await access(path, constants.X_OK)
      await promisify(execFile)(path, ['--pdeathsig', 'KILL', '--', '/bin/true'], { timeout: 5000 })
      return path
    } catch {
      // Not there, or BusyBox's, which has no such option.
    }
  }
  return undefined
}

const isShmSmall = async (): Promise<boolean> => {
  try {
    const { bsize, blocks } = await statfs('/dev/shm')
    return bsize * blocks < smallShmBytes
  } catch {
    return process.platform === 'linux'
  }
}
