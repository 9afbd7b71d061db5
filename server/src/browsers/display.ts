/**
 * Virtual displays, on which full Chromium runs with windows. Each browser has its own Xvfb with
 * its own cookie, which ends with it. In bubblewrap, Xvfb has no network and sees only its folder,
 * so all displays have the number 0. Otherwise it is a process of the browser's user, which picks a
 * free number.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { access, chmod, chown, constants, mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Viewport } from 'bowline/contract/session-emulation'
import { abortable, signalWithTimeout } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { windowOf } from './emulation-flags.ts'
import { keepLastWords } from './browser-process.ts'
import type { CommandLine } from './command-line.ts'
import type { BrowserBinary } from './find.ts'
import type { BrowserFolder } from './folders.ts'
import { jailOf, type IsolationLayers } from './isolation.ts'
import { displayLedger, writeLedger } from './ledger.ts'
import { killGroup } from './process-table.ts'

/** A running virtual display. Disposing ends it. */
export interface Display extends AsyncDisposable {
  /** Environment of its browser. */
  readonly environment: Readonly<Record<string, string>>
  /** bubblewrap arguments of its browser. */
  readonly mounts: readonly string[]
}

/** The browser that a display is for. */
export interface DisplayOptions {
  readonly kind: BrowserBinary['kind']
  readonly isolation: IsolationLayers
  readonly folder: BrowserFolder
  readonly uid: number | undefined
  /** Size of its pages. Default: the display has 1920 x 1080 pixels. */
  readonly viewport?: Viewport | undefined
}

const programs = { server: '/usr/bin/Xvfb', keymaps: '/usr/bin/xkbcomp', shell: '/bin/sh' } as const
/** Folder of the sockets of all displays. X servers and clients have no option for it. */
const socketFolder = '/tmp/.X11-unix'
const startTimeoutMs = 10_000
const stopTimeoutMs = 2000

/**
 * Starts a virtual display. Throws NOT_IMPLEMENTED if the browser is the headless shell or Xvfb is
 * not installed, BROWSER_START_FAILED if it does not start, or the signal's reason.
 */
export async function startDisplay(options: DisplayOptions, signal?: AbortSignal): Promise<Display> {
  const { isolation, folder, uid } = options
  await assertDisplayAvailable(options.kind)
  const own = join(folder.root, 'display')
  const cookie = authorityOf(randomBytes(16))
  await makeFolder(own, 0o700, uid)
  await makeFolder(join(own, '.X11-unix'), 0o1777, uid)
  await writeOwned(join(own, 'authority'), cookie, uid)
  await writeOwned(join(folder.tmpDir, '.Xauthority'), cookie, uid)
  const isJailed = jailOf(isolation) !== undefined
  // X servers create it only as root.
  if (!isJailed) await makeFolder(socketFolder, 0o1777).catch(() => undefined)
  const { file, args } = displayCommand(isolation, own, screenOf(options))
  const child = spawn(file, args, {
    detached: true,
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  const display = new RunningDisplay(child)
  try {
    const number = await abortable(display.ready(), signalWithTimeout(signal, startTimeoutMs))
    const removeSocket = isJailed ? undefined : await socketRemover(number)
    // Nothing else ends it with a server that is killed.
    if (!isJailed && isolation.setprivPath === undefined) writeLedger(folder.root, displayLedger, child.pid ?? 0)
    return {
      environment: { DISPLAY: `:${number}`, XAUTHORITY: join(folder.visiblePaths.tmpDir, '.Xauthority') },
      mounts: isJailed ? ['--ro-bind', join(own, '.X11-unix'), socketFolder] : [],
      [Symbol.asyncDispose]: async () => {
        await display[Symbol.asyncDispose]()
        await removeSocket?.()
      },
    }
  } catch (error) {
    await display[Symbol.asyncDispose]()
    signal?.throwIfAborted()
    throw error
  }
}

/**
 * Throws NOT_IMPLEMENTED if the browser is the headless shell or a program is missing. `paths`:
 * those of the programs (default: where Linux distributions install them).
 */
export async function assertDisplayAvailable(
  kind: BrowserBinary['kind'],
  paths: readonly string[] = [programs.server, programs.keymaps],
): Promise<void> {
  if (kind !== 'chromium') {
    throw new BowlineError('NOT_IMPLEMENTED', '`headless: false` requires full Chromium, not the headless shell', {
      hint: 'Start the server with `--browser chromium`.',
    })
  }
  for (const path of paths) {
    try {
      await access(path, constants.X_OK)
    } catch (cause) {
      throw new BowlineError(
        'NOT_IMPLEMENTED',
        `\`headless: false\` requires a virtual display, but ${path} is missing`,
        {
          cause,
          hint: 'Install it on the machine of the server: `apt-get install xvfb`.',
        },
      )
    }
  }
}

/**
 * Returns a function that removes the socket of a display. An X server that was killed leaves it,
 * and other users can neither remove it nor use its number.
 */
async function socketRemover(number: number): Promise<() => Promise<void>> {
  const path = join(socketFolder, `X${number}`)
  const inode = async (): Promise<number | undefined> => (await stat(path).catch(() => undefined))?.ino
  const own = await inode()
  return async () => {
    // Another display may have its number by now.
    if (own !== undefined && (await inode()) === own) await rm(path, { force: true }).catch(() => undefined)
  }
}

/** Width, height and depth of the screen, which the window fills as in headless Chromium. */
function screenOf({ viewport, kind }: DisplayOptions): string {
  if (viewport === undefined) return '1920x1080x24'
  const { width, height } = windowOf(viewport, kind)
  return `${[width, height].map((size) => Math.round(size * viewport.deviceScaleFactor)).join('x')}x24`
}

/** The command line of a display whose files are in the folder `own`. */
function displayCommand(isolation: IsolationLayers, own: string, screen: string): CommandLine {
  const jail = jailOf(isolation)
  const args = (authority: string): readonly string[] => [
    '-displayfd',
    '3',
    '-screen',
    '0',
    screen,
    '-auth',
    authority,
    '-noreset',
    // Neither TCP nor abstract sockets, which have no file permissions.
    '-nolisten',
    'tcp',
    '-nolisten',
    'local',
    // Another process could attach to shared memory.
    ...(jail === undefined ? [] : ['-extension', 'MIT-SHM']),
  ]
  if (jail === undefined) {
    const command = { file: programs.server, args: args(join(own, 'authority')) }
    return isolation.setprivPath === undefined
      ? command
      : // SIGTERM, so that it removes its socket and its lock.
        { file: isolation.setprivPath, args: ['--pdeathsig', 'TERM', '--', command.file, ...command.args] }
  }
  const jailArgs = [
    ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net', '--unshare-cgroup-try'],
    ['--die-with-parent'],
    jail.mounts,
    ['--proc', '/proc', '--dev', '/dev', '--bind', own, '/tmp'],
    Object.values(programs).flatMap((path) => ['--ro-bind', path, path]),
    ['--remount-ro', '/', '--chdir', '/', '--', programs.server, ...args('/tmp/authority')],
  ].flat()
  return { file: jail.path, args: jailArgs }
}

/** An Xvfb process. Disposing ends it. */
class RunningDisplay implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #exited: Promise<void>
  readonly #lastWords: () => string

  constructor(child: ChildProcess) {
    this.#child = child
    const { promise, resolve } = Promise.withResolvers<void>()
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
    this.#exited = promise
    this.#lastWords = keepLastWords(child.stderr as Readable)
  }

  /** Resolves to its number when it accepts connections. */
  async ready(): Promise<number> {
    const numbers = this.#child.stdio[3] as Readable
    const [line] = (await Promise.race([once(numbers, 'data'), this.#exited.then(() => [])])) as readonly Buffer[]
    if (line !== undefined) return Number(line.toString())
    throw new BowlineError(
      'BROWSER_START_FAILED',
      `Xvfb failed to start: ${this.#lastWords() || 'it wrote nothing to stderr'}`,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { pid } = this.#child
    if (pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill('SIGTERM')
    const killer = setTimeout(() => killGroup(pid), stopTimeoutMs)
    await this.#exited
    clearTimeout(killer)
  }
}

/** An X authority file with a cookie for all displays: family "wild", no address, no number. */
function authorityOf(cookie: Buffer): Buffer {
  const field = (value: Buffer): Buffer => Buffer.concat([Buffer.from([0, value.length]), value])
  const empty = field(Buffer.alloc(0))
  return Buffer.concat([
    Buffer.from([0xff, 0xff]),
    empty,
    empty,
    field(Buffer.from('MIT-MAGIC-COOKIE-1')),
    field(cookie),
  ])
}

async function makeFolder(path: string, mode: number, uid?: number): Promise<void> {
  await mkdir(path)
  // `mkdir` is subject to the umask.
  await chmod(path, mode)
  if (uid !== undefined) await chown(path, uid, uid)
}

async function writeOwned(path: string, content: Buffer, uid: number | undefined): Promise<void> {
  await writeFile(path, content, { mode: 0o600 })
  if (uid !== undefined) await chown(path, uid, uid)
}
