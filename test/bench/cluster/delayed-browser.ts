import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserExit } from '../../../server/src/browsers/browser-process.ts'
import type { Browser, BrowserLaunchDeps, LaunchOptions } from '../../../server/src/browsers/launch.ts'
import type { CdpPipe } from '../../../server/src/cdp/pipe.ts'
import { routePipe } from '../../../server/src/cdp/router.ts'

/** Start of a browser, in milliseconds. */
const startMs = 1000

const version = 'HeadlessChrome/150.0.0.0'

/** Responses to the commands whose results the server reads. All others return an empty object. */
const results: Readonly<Record<string, object>> = {
  'Browser.getVersion': { product: version },
  'Target.getTargets': { targetInfos: [] },
  'Target.getBrowserContexts': { browserContextIds: [] },
  'Storage.getCookies': { cookies: [] },
}

/** Replaces `launchBrowser`: waits, and returns a browser that accepts every CDP command. */
export async function launchBrowser(
  { binary }: BrowserLaunchDeps,
  _options: LaunchOptions = {},
  signal?: AbortSignal,
): Promise<Browser> {
  await sleep(startMs, undefined, { signal })
  const exited = Promise.withResolvers<BrowserExit>()
  const exit = { code: 0, signal: null } as unknown as BrowserExit
  const end = async (): Promise<void> => exited.resolve(exit)
  const folder = '/nowhere'
  const paths = {
    userDataDir: folder,
    tmpDir: folder,
    downloadsDir: folder,
    uploadsDir: folder,
    extensionsDir: folder,
  }
  return {
    id: crypto.randomUUID(),
    pid: 0,
    uid: undefined,
    binary,
    router: routePipe(respondingPipe(exited.promise.then(() => undefined))),
    folder: { ...paths, root: folder, visiblePaths: paths },
    proxy: undefined,
    targetKinds: { kindOf: () => 'web', isInternalUrl: () => false, onChange: () => () => undefined },
    extensionIds: [],
    parkedTargetId: 'PARKED',
    defaultContextId: undefined,
    version,
    exited: exited.promise,
    unresponsiveMs: () => 0,
    stop: async () => {
      await end()
      return exit
    },
    close: end,
    kill: end,
    [Symbol.asyncDispose]: end,
  }
}

function respondingPipe(closed: Promise<void>): CdpPipe {
  let listener = (_message: Buffer): void => undefined
  return {
    send: (message) => {
      const { id, method, sessionId } = JSON.parse(message) as Record<string, string>
      const response = { id, sessionId, result: results[method ?? ''] ?? {} }
      setImmediate(() => listener(Buffer.from(JSON.stringify(response))))
      return true
    },
    onMessage: (added) => {
      listener = added
    },
    onDrain: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
    closed,
    close: () => undefined,
  }
}
