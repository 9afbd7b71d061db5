import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Server } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { BowlineError } from 'bowline/kit/errors'
import { openPipe, type CdpPipe } from '../cdp/pipe.ts'
import type { CommandLine } from './command-line.ts'
import { importListener, exportStdio } from './export-listener.ts'
import { killGroup } from './process-table.ts'

/** Exit code or signal of a browser. */
export interface BrowserExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A browser process with its own process group, controlled over a pipe. */
export interface BrowserProcess {
  readonly pid: number
  readonly pipe: CdpPipe
  /**
   * Resolves when the main process has exited and the rest of its group was killed. Never rejects.
   */
  readonly exited: Promise<BrowserExit>
  /**
   * The listening socket from the browser's own network, if `isExporting`. Rejects if it is not
   * sent.
   */
  readonly exportedListener: Promise<Server> | undefined
  /** Returns the last 8 kB the browser wrote to stderr. */
  readonly lastWords: () => string
  /** Sends SIGKILL to the whole group. Stopped processes die too. */
  readonly kill: () => void
}

/** Options of `startProcess`. */
export interface ProcessOptions {
  /**
   * Whether the program is a wrapper that runs the browser as its child and, like a shell, reports
   * its death by a signal as an exit code above 128.
   */
  readonly isWrapped: boolean
  /** Whether the process sends a listening socket to the server; see `exportListener`. */
  readonly isExporting: boolean
  readonly uid: number | undefined
  readonly environment: Readonly<Record<string, string>>
}

const lastWordsLength = 8192

/**
 * Starts a browser in its own process group. Throws BROWSER_START_FAILED if the program cannot be
 * run.
 */
export async function startProcess(command: CommandLine, options: ProcessOptions): Promise<BrowserProcess> {
  const child = spawn(command.file, command.args, {
    // Own session: Ctrl-C in the server's terminal must not reach browsers before the server has
    // ended them.
    detached: true,
    cwd: '/',
    env: options.environment,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe', ...(options.isExporting ? exportStdio : [])],
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
  // Awaited only if the browser starts. A failed start reports its own error.
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
      // After the exit, the pid may belong to another process.
      if (child.exitCode === null && child.signalCode === null) killGroup(pid)
    },
  }
}

function unwrapExit(code: number | null, signal: NodeJS.Signals | null): BrowserExit {
  const name = Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0]
  return name === undefined ? { code, signal } : { code: null, signal: name as NodeJS.Signals }
}

/** Keeps the last 8 kB of a stream, and returns a function that reads them. */
export function keepLastWords(stream: Readable): () => string {
  let kept = ''
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    kept = (kept + text).slice(-lastWordsLength)
  })
  stream.on('error', () => {})
  return () => kept.trim()
}
