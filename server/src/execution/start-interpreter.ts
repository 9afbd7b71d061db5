import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { ExecuteLanguage } from 'bowline/contract/execute'
import { abortable, signalWithTimeout } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import type { CommandLine } from '../browsers/command-line.ts'
import { exportStdio, importListeners, jailProxyPort } from '../browsers/export-listener.ts'
import { jailOf, type IsolationLayers } from '../browsers/isolation.ts'
import type { Browser } from '../browsers/launch.ts'
import { killGroup } from '../browsers/process-table.ts'
import { codeFilter } from '../browsers/seccomp.ts'
import { openCdpPort, type ConnectCdp } from './cdp-port.ts'
import type { CodeFolder } from './code-folder.ts'
import type { CodeStorage } from './code-storage.ts'
import { codePaths, jailCdpPort, jailCode, jailPorts, nodeProgramIn } from './code-jail.ts'
import { Interpreter } from './interpreter.ts'
import { findPlaywright, interpreterCommand } from './interpreter-command.ts'
import type { UsageWatch } from './usage-watch.ts'

/** The session whose code an interpreter runs, and how it is isolated. */
export interface InterpreterDeps {
  readonly sessionId: string
  readonly browser: Browser
  readonly isolation: IsolationLayers
  /** Whether the operator chose to run without isolation. Code then runs without bubblewrap. */
  readonly allowsNoIsolation: boolean
  readonly folder: CodeFolder
  /** Where the files of jailed code are. Undefined without bubblewrap. */
  readonly storage: CodeStorage | undefined
  readonly usage: UsageWatch
  readonly connectCdp: ConnectCdp
}

const startTimeoutMs = 20_000

/** Folders of programs on most systems, which code in a jail sees. */
const programFolders = ['/usr/local/bin', '/usr/bin', '/bin']

/**
 * Starts the interpreter of a language. Throws EXECUTION_UNAVAILABLE if a program or the isolation
 * is missing, EXECUTION_FAILED if it does not start, or the signal's reason.
 */
export async function startInterpreter(
  language: ExecuteLanguage,
  deps: InterpreterDeps,
  signal: AbortSignal,
): Promise<Interpreter> {
  const jail = jailOf(deps.isolation)
  if (jail === undefined && !deps.allowsNoIsolation) throw noIsolation(deps.isolation)
  await using undo = new AsyncDisposableStack()
  const port =
    jail === undefined
      ? undo.use(await openCdpPort({ version: deps.browser.version, connect: deps.connectCdp }))
      : undefined
  const cdpUrl = port?.url ?? `ws://127.0.0.1:${jailCdpPort}/`
  const child = await spawnInterpreter(await commandOf(language, deps, cdpUrl), deps, cdpUrl)
  undo.defer(() => killChild(child))
  const interpreter = undo.use(new Interpreter(child, language, deps.usage))
  if (jail !== undefined) undo.use(await connectJail(child, interpreter, deps, signal))
  const resources = undo.move()
  void interpreter.exited.then(async () => resources.disposeAsync())
  return interpreter
}

/** Connects the ports of a jail to the egress proxy and the CDP of its session. */
async function connectJail(
  child: ChildProcess,
  interpreter: Interpreter,
  { browser, connectCdp }: InterpreterDeps,
  signal: AbortSignal,
): Promise<AsyncDisposable> {
  await using undo = new AsyncDisposableStack()
  try {
    const listening = importListeners(child, jailPorts, codeFilter())
    const listeners = await abortable(listening, signalWithTimeout(signal, startTimeoutMs))
    const [proxy, cdp] = [listeners.get(jailProxyPort), listeners.get(jailCdpPort)]
    if (proxy !== undefined && browser.proxy?.listenAlso !== undefined) undo.use(browser.proxy.listenAlso(proxy))
    else proxy?.close()
    if (cdp === undefined) throw new Error('the jail has no CDP port')
    const exported = { listener: cdp, port: jailCdpPort }
    undo.use(await openCdpPort({ exported, version: browser.version, connect: connectCdp }))
    return undo.move()
  } catch (cause) {
    signal.throwIfAborted()
    throw startError(interpreter.lastWords() || messageOf(cause), cause)
  }
}

/** The error for an interpreter whose bubblewrap, or that itself, ended with this output. */
export function startError(output: string, cause: unknown): BowlineError {
  const [, unreadable] = /Can't find source path (.+): Permission denied/.exec(output) ?? []
  if (unreadable === undefined) {
    return new BowlineError('EXECUTION_FAILED', `The interpreter failed to start: ${output.slice(-1000)}`, { cause })
  }
  return new BowlineError('EXECUTION_UNAVAILABLE', `The users of sessions may not read ${unreadable}`, {
    hint: 'Install Node.js and the server where all users can read them, such as in /usr/local or /opt.',
    cause,
  })
}

/** The command line of an interpreter, in its jail if there is one. */
async function commandOf(language: ExecuteLanguage, deps: InterpreterDeps, cdpUrl: string): Promise<CommandLine> {
  const { isolation, folder, browser, storage } = deps
  const jail = jailOf(isolation)
  const playwrightFolder = findPlaywright()
  const options = { cdpUrl, programFolders }
  if (jail === undefined) {
    const paths = { nodePath: process.execPath, nodeProgram: folder.nodeProgram, playwrightPath: playwrightFolder }
    return interpreterCommand(language, { ...options, ...paths })
  }
  const playwrightPath = playwrightFolder && codePaths.playwright
  const paths = { nodePath: codePaths.node, nodeProgram: nodeProgramIn(folder), playwrightPath }
  const command = await interpreterCommand(language, { ...options, ...paths })
  const jailed = jailCode(jail, command, { folder, browserFolder: browser.folder, playwrightFolder })
  return storage?.enter(jailed) ?? jailed
}

async function spawnInterpreter(
  { file, args }: CommandLine,
  deps: InterpreterDeps,
  cdpUrl: string,
): Promise<ChildProcess> {
  const { uid } = deps.browser
  const isJailed = jailOf(deps.isolation) !== undefined
  const child = spawn(file, args, {
    // Own process group, which is killed as a whole.
    detached: true,
    cwd: isJailed ? '/' : deps.folder.home,
    env: environmentOf(deps, cdpUrl, isJailed),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', ...(isJailed ? exportStdio : [])],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  await once(child, 'spawn').catch((cause: unknown) => {
    throw new BowlineError('EXECUTION_FAILED', `${file}: ${messageOf(cause)}`, { cause })
  })
  return child
}

function environmentOf(
  { sessionId, folder, browser }: InterpreterDeps,
  cdpUrl: string,
  isJailed: boolean,
): Readonly<Record<string, string>> {
  const proxy = isJailed ? `http://127.0.0.1:${jailProxyPort}` : browser.proxy?.server
  return {
    HOME: isJailed ? codePaths.home : folder.home,
    TMPDIR: isJailed ? '/tmp' : folder.tmp,
    LANG: 'C.UTF-8',
    PATH: programFolders.join(':'),
    USER: 'session',
    SESSION_ID: sessionId,
    CDP_URL: cdpUrl,
    ...(proxy === undefined ? {} : proxyEnvironment(proxy)),
  }
}

/** Variables by which programs use the egress proxy. */
function proxyEnvironment(proxy: string): Readonly<Record<string, string>> {
  const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY']
  return {
    ...Object.fromEntries(names.map((name) => [name, proxy])),
    no_proxy: 'localhost,127.0.0.1',
    NO_PROXY: 'localhost,127.0.0.1',
    // fetch() of Node.js reads the variables only with it.
    NODE_USE_ENV_PROXY: '1',
  }
}

function killChild(child: ChildProcess): void {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killGroup(child.pid)
}

function noIsolation({ jail }: IsolationLayers): BowlineError {
  const reason = 'missing' in jail ? jail.missing : 'not used'
  return new BowlineError('EXECUTION_UNAVAILABLE', `Code runs only in bubblewrap, which is not in use here: ${reason}`)
}
