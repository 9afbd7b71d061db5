import { execFile } from 'node:child_process'
import { access, constants, statfs } from 'node:fs/promises'
import type { Server } from 'node:net'
import { isMainThread } from 'node:worker_threads'
import { promisify } from 'node:util'
import { abortable, signalWithTimeout } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import { attachToTarget } from '../cdp/targets.ts'
import type { BrowserBinary } from './find.ts'
import type { BootFolder } from './folders.ts'
import { findJail, type Jail } from './jail.ts'
import { launchBrowser, type Browser, type ProxyEndpoint, type ProxyEndpointOptions } from './launch.ts'
import { isIsolated, type IsolationLayers, type NoJail, type RunAs } from './isolation.ts'

/**
 * Required isolation. `auto`: as much as the machine supports. `strict`: all layers. `uid`: no
 * bubblewrap. `none`: Chromium's own sandbox at most.
 */
export type IsolationMode = 'auto' | 'strict' | 'uid' | 'none'

const setprivPaths = ['/usr/bin/setpriv', '/bin/setpriv']

// Several times what Chromium needs for one page with large images.
const smallShmBytes = 1024 ** 3

/** Whether this server can run browsers as other users. */
export function canSwitchUser(): boolean {
  return process.getuid?.() === 0
}

/**
 * Probes the isolation of browsers on this machine: starts a browser with the best isolation and
 * steps down until one starts.
 * Throws BROWSER_START_FAILED if no browser starts or full Chromium ignores its URL blocklist.
 * Throws ISOLATION_MISSING if `mode` requires more isolation than works: only `none` accepts a
 * browser without both Chromium's sandbox and bubblewrap.
 */
export async function probeIsolation(
  launchDeps: { readonly binary: BrowserBinary; readonly boot: BootFolder },
  mode: IsolationMode,
  signal?: AbortSignal,
): Promise<IsolationLayers> {
  const machine = { setprivPath: await findSetpriv(), isShmSmall: await isShmSmall() }
  const jail = await chooseJail(mode)
  let problem: unknown
  let sandboxProblem: unknown
  let missing: NoJail | undefined
  for (const step of probeSteps(mode, jail)) {
    // The description of the missing bubblewrap includes why it failed.
    const stepJail = 'missing' in step.jail ? (missing ?? step.jail) : step.jail
    const isolation: IsolationLayers = { ...machine, ...step, jail: stepJail }
    let hasBlocklist: boolean
    try {
      await using browser = await launchBrowser(
        { ...launchDeps, isolation },
        { openProxyEndpoint: openNoProxy },
        signal,
      )
      hasBlocklist = launchDeps.binary.kind === 'shell' || (await blocksInternalPages(browser, signal))
    } catch (error) {
      signal?.throwIfAborted()
      // The error of the best step is the most useful one.
      problem ??= error
      if ('missing' in step.jail) sandboxProblem ??= error
      else missing ??= { missing: `does not work here (it needs user namespaces): ${lastLine(error)}` }
      continue
    }
    if (!hasBlocklist) throw blocklistIgnored(launchDeps.binary)
    if (mode !== 'none' && !isIsolated(isolation)) throw isolationMissing(isolation, sandboxProblem)
    return isolation
  }
  if (mode !== 'strict') throw problem
  throw new BowlineError('ISOLATION_MISSING', `Strict isolation does not work here: ${lastLine(problem)}`, {
    cause: problem,
  })
}

const navigationMs = 10_000

/** Any web page can navigate there, and the document has all rights of the PDF viewer. */
const viewerFile = 'chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/pdf_embedder.css'

/**
 * Whether the browser blocks the files of the PDF viewer. A client would have the rights of such a
 * document before the server learns of it. Commands cannot be checked in time, so only the URL
 * blocklist helps.
 */
async function blocksInternalPages(
  { router, parkedTargetId }: Browser,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const visit = async (): Promise<boolean> => {
    // With target discovery on, the tab would be closed immediately.
    await router.call('Target.setDiscoverTargets', { discover: false })
    const page = await attachToTarget(router, parkedTargetId)
    const { errorText } = await page.call('Page.navigate', { url: viewerFile })
    // A headless shell under another name does not have this file.
    return errorText !== undefined
  }
  return abortable(visit(), signalWithTimeout(signal, navigationMs))
}

function blocklistIgnored({ path, version }: BrowserBinary): BowlineError {
  return new BowlineError(
    'BROWSER_START_FAILED',
    `${path} (${version}) opens files of the PDF viewer: it ignores the URL blocklist in its preferences`,
    { hint: 'Use the headless shell (`--browser shell`) or an unmodified Chromium.' },
  )
}

function isolationMissing({ jail }: IsolationLayers, cause: unknown): BowlineError {
  const bubblewrap = 'missing' in jail ? jail.missing : 'not used'
  return new BowlineError(
    'ISOLATION_MISSING',
    `Browsers cannot be isolated on this machine. Chromium's sandbox does not start: ${sandboxReason(cause)}. Bubblewrap: ${bubblewrap}`,
    {
      cause,
      hint:
        'Allow unprivileged user namespaces and install bubblewrap; in Docker, run as a user other than root with a seccomp profile that allows them. ' +
        'To run without isolation, start with `--isolation none`: a page that escapes its renderer then has the rights of the server.',
    },
  )
}

/** The line of Chromium's output with the reason why its sandbox does not start. */
function sandboxReason(error: unknown): string {
  const lines = messageOf(error).split('\n')
  const reason = lines.find((line) => /sandbox|namespace|not permitted/i.test(line)) ?? lastLine(error)
  return reason.trim().replace(/\.$/, '').slice(0, 300)
}

/**
 * Selects the bubblewrap to try. Throws ISOLATION_MISSING if `mode` requires it and it is not
 * installed.
 */
async function chooseJail(mode: IsolationMode): Promise<Jail | NoJail> {
  if (mode === 'uid' || mode === 'none') return { missing: `switched off by --isolation ${mode}` }
  const found = await findJail()
  if (found !== undefined) return { ...found, hasOwnNetwork: mode === 'strict' }
  if (mode === 'auto') {
    return {
      missing: 'not installed, so browsers can read every file that is readable by all users; install bubblewrap',
    }
  }
  throw new BowlineError('ISOLATION_MISSING', 'Strict isolation requires bubblewrap, but bwrap is not installed')
}

type Step = Pick<IsolationLayers, 'runAs' | 'isSandboxed' | 'jail'>

const notUsed: NoJail = { missing: 'not used' }

/**
 * Combinations to try, from best to worst. The sandbox is dropped only after every user was tried
 * with it, and root is tried only if no other user works. The steps without sandbox and bubblewrap
 * serve `none`, and distinguish a machine without isolation from a browser that does not start.
 */
function probeSteps(mode: IsolationMode, jail: Jail | NoJail): readonly Step[] {
  const users: readonly RunAs[] = canSwitchUser() && mode !== 'none' ? ['each', 'shared'] : ['self']
  const jails = 'missing' in jail || mode === 'strict' ? [jail] : [jail, notUsed]
  const steps = [true, false].flatMap((isSandboxed) =>
    users.flatMap((runAs) => jails.map((each) => ({ runAs, isSandboxed, jail: each }))),
  )
  if (mode === 'strict') return steps.filter(({ isSandboxed }) => isSandboxed)
  if (users.includes('self')) return steps
  return [...steps, { runAs: 'self', isSandboxed: false, jail: 'missing' in jail ? jail : notUsed }]
}

/** A proxy that goes nowhere: the probe only checks whether a listener is exported for it. */
async function openNoProxy({ jailProxyPort = 9 }: ProxyEndpointOptions): Promise<ProxyEndpoint> {
  let exported: Server | undefined
  return {
    server: `http://127.0.0.1:${jailProxyPort}`,
    listenOn: (listener) => {
      exported = listener
    },
    traffic: () => ({ sentBytes: 0, receivedBytes: 0, refused: 0 }),
    [Symbol.asyncDispose]: async () => {
      exported?.close()
    },
  }
}

function lastLine(error: unknown): string {
  return messageOf(error).trim().split('\n').at(-1) ?? ''
}

async function findSetpriv(): Promise<string | undefined> {
  // The kernel sends the signal when the thread that started the browser ends. Only the main thread
  // lives as long as the server.
  if (!isMainThread) return undefined
  for (const path of setprivPaths) {
    try {
      await access(path, constants.X_OK)
      await promisify(execFile)(path, ['--pdeathsig', 'KILL', '--', '/bin/true'], { timeout: 5000 })
      return path
    } catch {
      // Not installed, or the BusyBox version, which lacks the option.
    }
  }
  return undefined
}

async function isShmSmall(): Promise<boolean> {
  try {
    const { bsize, blocks } = await statfs('/dev/shm')
    return bsize * blocks < smallShmBytes
  } catch {
    // Only Linux has `/dev/shm`, and a container may lack it.
    return process.platform === 'linux'
  }
}
