import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Properties of a process from `/proc`. */
export interface ProcessFacts {
  /** One letter as in `ps`: `R` running, `S` sleeping, `T` stopped, `Z` zombie. */
  readonly state: string
  readonly groupId: number
  /**
   * Start time in clock ticks since boot. Distinguishes a process from a later one with the same
   * pid.
   */
  readonly startTicks: string
}

/** Reads a process. Undefined if it does not exist, and on systems without `/proc`. */
export function readProcess(pid: number): ProcessFacts | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  // The name before the last `)` can itself contain spaces and parentheses.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, , groupId] = fields ?? []
  const startTicks = fields?.[19]
  if (state === undefined || groupId === undefined || startTicks === undefined) return undefined
  return { state, groupId: Number(groupId), startTicks }
}

/**
 * Whether the process that started at `startTicks` still runs under this pid. Zombies do not count.
 */
export function isRunning(pid: number, startTicks: string): boolean {
  const process = readProcess(pid)
  return process !== undefined && process.state !== 'Z' && process.startTicks === startTicks
}

/**
 * Whether any thread of a process still runs. Threads can outlive the first one and keep files
 * open.
 */
export function hasThreads(pid: number): boolean {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).length
    return threads > (readProcess(pid)?.state === 'Z' ? 1 : 0)
  } catch {
    // The process has ended.
    return false
  }
}

/** The command line of a process as one string. Undefined if the process does not exist. */
export function commandLineOf(pid: number): string | undefined {
  return readText(`/proc/${pid}/cmdline`)
}

/** The running processes of a group, found by reading `/proc`. */
export function groupMembers(groupId: number): readonly number[] {
  return listProcesses().filter((pid) => {
    const process = readProcess(pid)
    return process !== undefined && process.groupId === groupId && process.state !== 'Z'
  })
}

/** Sends SIGKILL to a process group. Does nothing if it is already gone. */
export function killGroup(groupId: number): void {
  try {
    process.kill(-groupId, 'SIGKILL')
  } catch {
    // No process is left, or only zombies.
  }
}

/** Sends SIGKILL to every process of a user. Do not use it for shared users. */
export function killUser(uid: number): void {
  for (const pid of listProcesses()) {
    try {
      // The owner of the folder in /proc does not help: it is root for processes that are not
      // dumpable.
      if (readText(`/proc/${pid}/status`)?.includes(`\nUid:\t${uid}\t`) === true) process.kill(pid, 'SIGKILL')
    } catch {
      // The process has ended.
    }
  }
}

/**
 * Identifies the current boot of the machine and the pid namespace. Pids in a ledger are valid only
 * within the same one.
 */
export function machineRun(): string {
  const boot = readText('/proc/sys/kernel/random/boot_id')?.trim() ?? 'unknown'
  try {
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    // Without `/proc`, or in a sandbox that hides it.
    return boot
  }
}

function listProcesses(): readonly number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    // Only Linux has `/proc`.
    return []
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    // The process has ended, or the system has no `/proc`.
    return undefined
  }
}
