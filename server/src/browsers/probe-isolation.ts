import { execFile } from 'node:child_process'
import { access, constants, statfs } from 'node:fs/promises'
import type { Server } from 'node:net'
import { isMainThread } from 'node:worker_threads'
import { promisify } from 'node:util'
import { abortable, signalWithTimeout } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import type { BrowserBinary } from './find.ts'
import type { BootFolder } from './folders.ts'
import { findJail, type Jail } from './jail.ts'
import { launchBrowser, type Browser, type BrowserProxy, type ProxyOptions } from './launch.ts'
import { isHeld, type IsolationLayers, type NoJail, type RunAs } from './isolation.ts'

/** How much isolation is asked for: all the machine has, all or nothing, none around the files, or nothing but the browser's own. */
export type Isolation = 'auto' | 'strict' | 'uid' | 'none'

const setprivPaths = ['/usr/bin/setpriv', '/bin/setpriv']

// What Chromium takes for one page with large images, several times over.
const smallShmBytes = 1024 ** 3

/** Whether this server can run browsers as other users. */
export function canSwitchUser(): boolean {
  return process.getuid?.() === 0
}

/**
 * Finds out which layers hold on this machine, by starting a browser in the best of them and stepping down until one
 * starts. Throws BROWSER_START_FAILED when none does or full Chromium does not follow its URL blocklist, and ISOLATION_MISSING when what does is less than `isolation`
 * accepts: only `none` accepts a browser that neither Chromium's own sandbox nor bubblewrap holds.
 */
export async function probeIsolation(
  launchDeps: { readonly binary: BrowserBinary; readonly boot: BootFolder },
  isolation: Isolation,
  signal?: AbortSignal,
): Promise<IsolationLayers> {
  const machine = { setprivPath: await findSetpriv(), isShmSmall: await isShmSmall() }
  const jail = await chooseJail(isolation)
  let problem: unknown
  let sandboxProblem: unknown
  let missing: NoJail | undefined
  for (const step of ladder(isolation, jail)) {
    // What went wrong with bubblewrap is said where it is missed.
    const stepJail = 'missing' in step.jail ? (missing ?? step.jail) : step.jail
    const layers: IsolationLayers = { ...machine, ...step, jail: stepJail }
    let hasBlocklist: boolean
    try {
      await using browser = await launchBrowser({ ...launchDeps, layers }, { openProxy: openNoProxy }, signal)
      hasBlocklist = launchDeps.binary.kind === 'shell' || (await refusesOwnPages(browser, signal))
    } catch (error) {
      signal?.throwIfAborted()
      // The reason of the best step says most.
      problem ??= error
      if ('missing' in step.jail) sandboxProblem ??= error
      else missing ??= { missing: `does not work here (it needs user namespaces): ${lastLine(error)}` }
      continue
    }
    if (!hasBlocklist) throw notBlocked(launchDeps.binary)
    if (isolation !== 'none' && !isHeld(layers)) throw notHeld(layers, sandboxProblem)
    return layers
  }
  if (isolation !== 'strict') throw problem
  throw new BowlineError('ISOLATION_MISSING', `Strict isolation does not work here: ${lastLine(problem)}`, {
    cause: problem,
  })
}

const navigationMs = 10_000

/** Any web page may go there, and the document has all rights of the PDF viewer. */
const viewerFile = 'chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/pdf_embedder.css'

/**
 * Whether the browser shows no file of the PDF viewer. A client would have the rights of its document before the server
 * knew of it, so the commands cannot be judged in time: only the URL blocklist helps.
 */
async function refusesOwnPages({ router, parkedTargetId }: Browser, signal: AbortSignal | undefined): Promise<boolean> {
  const visit = async (): Promise<boolean> => {
    // Watched, the tab would be closed at once.
    await router.call('Target.setDiscoverTargets', { discover: false })
    const { sessionId } = await router.call('Target.attachToTarget', { targetId: parkedTargetId, flatten: true })
    const { errorText } = await router.call('Page.navigate', { url: viewerFile }, String(sessionId))
    // A headless shell under another name has no such file.
    return errorText !== undefined
  }
  return abortable(visit(), signalWithTimeout(signal, navigationMs))
}

function notBlocked({ path, version }: BrowserBinary): BowlineError {
  return new BowlineError(
    'BROWSER_START_FAILED',
    `${path} (${version}) opens files of the PDF viewer: it ignores the URL blocklist in its preferences`,
    { hint: 'Use the headless shell (`--browser shell`) or an unmodified Chromium.' },
  )
}

function notHeld({ jail }: IsolationLayers, cause: unknown): BowlineError {
  const bubblewrap = 'missing' in jail ? jail.missing : 'not used'
  return new BowlineError(
    'ISOLATION_MISSING',
    `Browsers cannot be isolated here. Chromium's sandbox does not start: ${sandboxReason(cause)}. Bubblewrap: ${bubblewrap}`,
    {
      cause,
      hint:
        'Allow unprivileged user namespaces and install bubblewrap; in Docker, run as a user other than root with a seccomp profile that allows them. ' +
        'To run without isolation, where a page that breaks out of its renderer has the rights of the server, start with `--isolation none`.',
    },
  )
}

/** The line in which Chromium says why its sandbox does not start. */
function sandboxReason(error: unknown): string {
  const lines = (Error.isError(error) ? error.message : String(error)).split('\n')
  const reason = lines.find((line) => /sandbox|namespace|not permitted/i.test(line)) ?? lastLine(error)
  return reason.trim().replace(/\.$/, '').slice(0, 300)
}

/** The bubblewrap to try. Throws ISOLATION_MISSING when it is a must and not there. */
async function chooseJail(isolation: Isolation): Promise<Jail | NoJail> {
  if (isolation === 'uid' || isolation === 'none') return { missing: `switched off by --isolation ${isolation}` }
  const found = await findJail()
  if (found !== undefined) return { ...found, isOffline: isolation === 'strict' }
  if (isolation === 'auto') {
    return { missing: 'not installed, so browsers can read what every user may read; install bubblewrap' }
  }
  throw new BowlineError('ISOLATION_MISSING', 'Strict isolation needs bubblewrap, and there is no bwrap here')
}

type Step = Pick<IsolationLayers, 'runAs' | 'isSandboxed' | 'jail'>

const notUsed: NoJail = { missing: 'not used' }

/**
 * From best to worst. Never without the sandbox while any user can have it, and as root only when there is no other user.
 * The steps without sandbox and bubblewrap are there for `none`, and to tell a machine without isolation from a browser
 * that does not start.
 */
function ladder(isolation: Isolation, jail: Jail | NoJail): readonly Step[] {
  const users: readonly RunAs[] = canSwitchUser() && isolation !== 'none' ? ['each', 'nobody'] : ['self']
  const jails = 'missing' in jail || isolation === 'strict' ? [jail] : [jail, notUsed]
  const steps = [true, false].flatMap((isSandboxed) =>
    users.flatMap((runAs) => jails.map((each) => ({ runAs, isSandboxed, jail: each }))),
  )
  if (isolation === 'strict') return steps.filter(({ isSandboxed }) => isSandboxed)
  if (users.includes('self')) return steps
  return [...steps, { runAs: 'self', isSandboxed: false, jail: 'missing' in jail ? jail : notUsed }]
}

/** Leads nowhere: only whether a port is lent for it is of interest. */
async function openNoProxy({ exportedListener = 9 }: ProxyOptions): Promise<BrowserProxy> {
  let lent: Server | undefined
  return {
    server: `http://127.0.0.1:${exportedListener}`,
    serve: (listener) => {
      lent = listener
    },
    traffic: () => ({ sentBytes: 0, receivedBytes: 0, refused: 0 }),
    [Symbol.asyncDispose]: async () => {
      lent?.close()
    },
  }
}

function lastLine(error: unknown): string {
  return (Error.isError(error) ? error.message : String(error)).trim().split('\n').at(-1) ?? ''
}

async function findSetpriv(): Promise<string | undefined> {
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

async function isShmSmall(): Promise<boolean> {
  try {
    const { bsize, blocks } = await statfs('/dev/shm')
    return bsize * blocks < smallShmBytes
  } catch {
    return process.platform === 'linux'
  }
}
