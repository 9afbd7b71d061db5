import { spawn, type ChildProcess } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { BowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import type { CommandLine } from '../browsers/command-line.ts'
import type { Jail } from '../browsers/jail.ts'
import { killGroup } from '../browsers/process-table.ts'
import type { CodeFolder } from './code-folder.ts'
import { storageLimits } from './limits.ts'

/** A file system in memory for the code of a session. Disposing removes it with its files. */
export interface CodeStorage extends AsyncDisposable {
  /** Whether its process still runs. */
  readonly isRunning: boolean
  /** Wraps a command so that it sees the files at their paths on the machine. */
  readonly enter: (command: CommandLine) => CommandLine
}

/** Options of `openCodeStorage`. */
export interface CodeStorageOptions {
  readonly jail: Jail
  readonly folder: CodeFolder
  /** User that runs the code. Undefined: the server's own. */
  readonly uid: number | undefined
}

const endTimeoutMs = 1000
const nsenterPaths = ['/usr/bin/nsenter', '/bin/nsenter']

// bubblewrap cannot limit the number of files of a tmpfs. The process ends with the server, which
// holds the other end of its stdin.
const script = `mount -t tmpfs -o "size=${storageLimits.bytes},nr_inodes=${storageLimits.files},mode=0700,nosuid,nodev" code "$1" &&
cd "$1" && mkdir -m 700 home tmp shm && echo $$ && exec cat`

/**
 * Mounts the home, temporary and shared-memory folders of a session's code, in a mount namespace
 * that its interpreters enter. The kernel enforces the limits, also for files that are deleted and
 * still open. Throws EXECUTION_UNAVAILABLE without nsenter, EXECUTION_FAILED if mounting fails.
 */
export async function openCodeStorage({ jail, folder, uid }: CodeStorageOptions): Promise<CodeStorage> {
  const nsenter = nsenterPaths.find(isProgram)
  if (nsenter === undefined) {
    throw new BowlineError('EXECUTION_UNAVAILABLE', 'Code runs only with nsenter, which is not installed here', {
      hint: 'The operator of the server can install it, such as by `apt-get install util-linux`.',
    })
  }
  const sandbox = ['--unshare-user', '--cap-add', 'CAP_SYS_ADMIN', '--die-with-parent', '--dev-bind', '/', '/']
  const child = spawn(jail.path, [...sandbox, '--', '/bin/sh', '-c', script, 'bowline-storage', folder.files], {
    detached: true,
    cwd: '/',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  child.stdin.on('error', () => {})
  const pid = await mounted(child)
  return {
    get isRunning() {
      return child.exitCode === null && child.signalCode === null
    },
    enter: ({ file, args }) => ({
      file: nsenter,
      args: ['--preserve-credentials', `--user=/proc/${pid}/ns/user`, `--mount=/proc/${pid}/ns/mnt`, file, ...args],
    }),
    [Symbol.asyncDispose]: async () => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit')
        // Without a kill, bubblewrap reaps its child.
        child.stdin.end()
        const timer = setTimeout(killGroup, endTimeoutMs, child.pid)
        await exited
        clearTimeout(timer)
      }
    },
  }
}

/** Resolves to the id of the process that has mounted the folders. */
async function mounted(child: ChildProcess): Promise<number> {
  let [output, errors] = ['', '']
  const [stdout, stderr] = [child.stdout as Readable, child.stderr as Readable]
  stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk))
  const reading = new Promise<void>((resolve) => {
    stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      if (output.endsWith('\n')) resolve()
    })
  })
  // Rejects if bubblewrap cannot be started.
  await Promise.race([reading, once(child, 'close')]).catch((error: unknown) => (errors += messageOf(error)))
  if (!output.endsWith('\n')) {
    throw new BowlineError('EXECUTION_FAILED', `The folders of the code could not be mounted: ${errors.trim()}`)
  }
  return Number(output)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Not in this folder.
    return false
  }
}
