import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { threadEnvironment } from './thread-environment.ts'

/**
 * Starts a process for work on untrusted input, with a limit of its JavaScript heap in megabytes
 * and without secrets in its environment. Messages have the types of structured clones. A thread
 * would not protect the server: V8 ends the whole process if one operation exceeds the heap.
 */
export function forkHelper(program: string, heapMb: number): ChildProcess {
  return fork(program, {
    execArgv: [`--max-old-space-size=${heapMb}`],
    env: threadEnvironment(),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

/** Kills a helper, and resolves once it has ended. */
export async function killHelper(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.ref()
  const exited = once(child, 'exit').catch(() => undefined)
  child.kill('SIGKILL')
  await exited
}
