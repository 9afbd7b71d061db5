import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DeletionRequest, ReaperLine, ReaperResult } from './deletion-request.ts'

/** The reaper as its parent sees it. */
export interface ReaperProcess {
  /** Deletes the session should this process end. Starts the reaper when none runs. */
  readonly add: (deletionRequest: DeletionRequest) => void
  /** Forgets a session that has ended. */
  readonly remove: (id: string) => void
}

const program = fileURLToPath(new URL(`./reaper${extname(import.meta.url)}`, import.meta.url))
const flags = ['--no-warnings']
const onceLimitMs = 5000

/**
 * Prepares the one reaper of this process; it is started with the first session and lives as long as this process.
 * It is in a session of its own, so that Ctrl-C does not reach it, and does not keep this process alive.
 */
export function createReaperProcess(): ReaperProcess {
  const held = new Map<string, DeletionRequest>()
  let child: ChildProcess | undefined

  const write = (line: ReaperLine): void => {
    child?.stdin?.write(`${JSON.stringify(line)}\n`)
  }

  const start = (): void => {
    child = startReaper(() => {
      child = undefined
    })
    for (const deletionRequest of held.values()) write({ add: deletionRequest })
  }

  return {
    add: (deletionRequest) => {
      held.set(deletionRequest.id, deletionRequest)
      if (child === undefined) start()
      else write({ add: deletionRequest })
    },
    remove: (id) => {
      held.delete(id)
      write({ remove: id })
    },
  }
}

function startReaper(onGone: () => void): ChildProcess {
  const child = spawn(process.execPath, [...flags, program], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    // Not this process's folder: the reaper must not keep it busy.
    cwd: '/',
  })
  child.once('exit', onGone)
  child.once('error', (error) => {
    onGone()
    process.emitWarning(`Bowline's reaper could not be started: ${error.message}`, { code: 'BOWLINE_REAPER' })
  })
  // It is gone; the exit event says so too.
  child.stdin.on('error', () => undefined)
  child.unref()
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref()
  return child
}

/** Deletes sessions while this process is exiting: blocks until they are deleted, 5 s at most. */
export function deleteAtExit(tickets: readonly DeletionRequest[]): readonly ReaperResult[] {
  const { stdout } = spawnSync(process.execPath, [...flags, program, '--once'], {
    input: tickets.map((add) => `${JSON.stringify({ add } satisfies ReaperLine)}\n`).join(''),
    stdio: ['pipe', 'pipe', 'ignore'],
    encoding: 'utf8',
    timeout: onceLimitMs,
    killSignal: 'SIGKILL',
  })
  return (stdout ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ReaperResult)
}
