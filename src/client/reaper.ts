import { fillPath } from '../contract/fill-path.ts'
import { paths } from '../contract/paths.ts'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ClientConfig } from './config.ts'
import type { DeletionRequest, ReaperLine, ReaperResult } from './reaper-protocol.ts'

/** Process that deletes the registered sessions when this process ends. */
export interface Reaper {
  /**
   * Registers a session to be deleted if this process ends. Starts the reaper if it is not running.
   */
  readonly add: (deletionRequest: DeletionRequest) => void
  /** Unregisters a session that has ended. */
  readonly remove: (id: string) => void
}

const program = fileURLToPath(new URL(`./reaper-program${extname(import.meta.url)}`, import.meta.url))
const flags = ['--no-warnings']
const onceLimitMs = 5000

/**
 * Creates the handle of the reaper. The process starts with the first session and lives as long as
 * this process. It runs in its own process group, so Ctrl-C does not reach it, and it does not keep
 * this process alive.
 */
export function createReaper(): Reaper {
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
    // The reaper must not keep the working directory of this process busy.
    cwd: '/',
  })
  child.once('exit', onGone)
  child.once('error', (error) => {
    onGone()
    process.emitWarning(`Could not start the Bowline reaper: ${error.message}`, { code: 'BOWLINE_REAPER' })
  })
  // The `exit` event reports this as well.
  child.stdin.on('error', () => undefined)
  child.unref()
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref()
  return child
}

/** Deletes sessions while this process exits. Blocks until they are deleted, for at most 5 s. */
export function deleteAtExit(deletionRequests: readonly DeletionRequest[]): readonly ReaperResult[] {
  const { stdout } = spawnSync(process.execPath, [...flags, program, '--once'], {
    input: deletionRequests.map((add) => `${JSON.stringify({ add } satisfies ReaperLine)}\n`).join(''),
    stdio: ['pipe', 'pipe', 'ignore'],
    encoding: 'utf8',
    timeout: onceLimitMs,
    killSignal: 'SIGKILL',
  })
  return (
    (stdout ?? '')
      .split('\n')
      // The last line of a killed reaper may be incomplete.
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as ReaperResult)
  )
}

/**
 * Returns the request that deletes a session, and then removes its session marker. With
 * `failed`, it marks the work as failed, since the process died before it was done.
 */
export function deletionById(
  config: ClientConfig,
  { id, failed }: { readonly id: string; readonly failed: boolean },
  markerPath: string | undefined,
): DeletionRequest {
  const url = `${config.baseUrl}${fillPath(paths.deleteSession.path, { id })}${failed ? '?failed=true' : ''}`
  return { id, url, headers: headersOf(config), markerPath }
}

/**
 * Returns the request that deletes a session by its idempotency key, in case this process dies
 * before it receives the session id.
 */
export function deletionByIdempotencyKey(config: ClientConfig, idempotencyKey: string): DeletionRequest {
  return {
    id: idempotencyKey,
    url: config.baseUrl + paths.deleteSessionByBody.path,
    headers: headersOf(config),
    body: { idempotencyKey },
    markerPath: undefined,
  }
}

function headersOf({ headers, apiKey }: ClientConfig): Readonly<Record<string, string>> {
  return { ...headers, authorization: `Bearer ${apiKey}` }
}
