import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Server } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { BowlineError } from 'bowline/kit/errors'
import { openPipe, type CdpPipe } from '../cdp/pipe.ts'
import type { CommandLine } from './command-line.ts'
import { importListener, lendingStdio } from './export-listener.ts'
import { killGroup } from './process-table.ts'

/** How a browser ended. */
export interface BrowserExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A browser as a process: a group of its own, held by its pipe. */
export interface BrowserProcess {
  readonly pid: number
  readonly pipe: CdpPipe
  /** Resolves when the main process is gone and the rest of its group was killed. Never rejects. */
  readonly exited: Promise<BrowserExit>
  /** The socket that listens in the network of the browser, when it lends one. Rejects when none comes. */
  readonly exportedListener: Promise<Server> | undefined
  /** The last 8 kB that the browser wrote to stderr. */
  readonly lastWords: () => string
  /** SIGKILL for the whole group. Stopped processes die too. */
  readonly kill: () => void
}

/** Options of `startProcess`. */
export interface ProcessOptions {
  /** Whether the program runs the browser as its child and tells of its death by a signal with a code above 128, as shells do. */
  readonly isWrapped: boolean
  /** Whether it lends a port; see `lendPort`. */
  readonly isExporting: boolean
  readonly uid: number | undefined
  readonly environment: Readonly<Record<string, string>>
}

const lastWordsLength = 8192

/** Starts a browser in a process group of its own. Throws BROWSER_START_FAILED when the program cannot be run. */
export async function startProcess(command: CommandLine, options: ProcessOptions): Promise<BrowserProcess> {
  const child = spawn(command.file, command.args, {
    // A session of its own: Ctrl-C in the server's terminal must not reach browsers before the server has ended them.
    detached: true,
    cwd: '/',
    env: options.environment,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe', ...(options.isExporting ? lendingStdio : [])],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  })
  const { promise: exited, resolve } = Promise.withResolvers<BrowserExit>()
  const spawned = Promise.withResolvers<void>()
  child.once('spawn', () => spawned.resolve())
  child.once('error', (error) => {
    spawned.reject(new BowlineError('BROWSER_START_FAILED', `${command.file}: ${error.message}.`, { cause: error }))
  })
  const { pid } = child
  child.once('exit', (code, signal) => {
    if (pid !== undefined) killGroup(pid)
    resolve(options.isWrapped ? unwrapExit(code, signal) : { code, signal })
  })
  const exportedListener = options.isExporting ? importListener(child) : undefined
  // Whoever waits for it hears of it; a failed start has reasons of its own.
  exportedListener?.catch(() => undefined)
  await spawned.promise
  if (pid === undefined) throw new BowlineError('BROWSER_START_FAILED', `${command.file} has no pid.`)
  const [, , , toBrowser, fromBrowser] = child.stdio
  return {
    pid,
    pipe: openPipe(toBrowser as Writable, fromBrowser as Readable),
    exited,
    exportedListener,
    lastWords: keepLastWords(child.stderr as Readable),
    kill: () => {
      // After its exit the number may belong to someone else.
      if (child.exitCode === null && child.signalCode === null) killGroup(pid)
    },
  }
}

function unwrapExit(code: number | null, signal: NodeJS.Signals | null): BrowserExit {
  const name = Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0]
  return name === undefined ? { code, signal } : { code: null, signal: name as NodeJS.Signals }
}

function keepLastWords(stream: Readable): () => string {
  let kept = ''
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    kept = (kept + text).slice(-lastWordsLength)
  })
  stream.on('error', () => {})
  return () => kept.trim()
}
