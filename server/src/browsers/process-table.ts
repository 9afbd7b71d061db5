import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** What `/proc` tells about a process. */
export interface ProcessFacts {
  /** One letter as in `ps`: `R` runs, `S` sleeps, `T` is stopped, `Z` is dead and not yet collected. */
  readonly state: string
  readonly groupId: number
  /** Clock ticks from the start of the machine to the start of the process: tells a process from a later one with its pid. */
  readonly startTicks: string
}

/** Reads a process. Undefined when there is none, and on systems without `/proc`. */
export function readProcess(pid: number): ProcessFacts | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  // The name before the last `)` may itself hold spaces and brackets.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, , groupId] = fields ?? []
  const startTicks = fields?.[19]
  if (state === undefined || groupId === undefined || startTicks === undefined) return undefined
  return { state, groupId: Number(groupId), startTicks }
}

/** Whether a process runs under this pid that started at `startTicks`. A dead process that is not yet collected does not run. */
export function isRunning(pid: number, startTicks: string): boolean {
  const process = readProcess(pid)
  return process !== undefined && process.state !== 'Z' && process.startTicks === startTicks
}

/** Whether any thread of a process runs: one of them may outlive the first, and hold open what the process had. */
export function hasThreads(pid: number): boolean {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).length
    return threads > (readProcess(pid)?.state === 'Z' ? 1 : 0)
  } catch {
    return false
  }
}

/** The command line of a process as one text. Undefined when there is none. */
export function commandLineOf(pid: number): string | undefined {
  return readText(`/proc/${pid}/cmdline`)
}

/** The pids of a process group that still run, by a walk through `/proc`. */
export function groupMembers(groupId: number): readonly number[] {
  return listProcesses().filter((pid) => {
    const process = readProcess(pid)
    return process !== undefined && process.groupId === groupId && process.state !== 'Z'
  })
}

/** Sends SIGKILL to a whole process group. A group that is gone already is fine. */
export function killGroup(groupId: number): void {
  try {
    process.kill(-groupId, 'SIGKILL')
  } catch {
    // Nobody left, or only dead processes that wait to be collected.
  }
}

/** Sends SIGKILL to every process of a user. Not for users that others share. */
export function killUser(uid: number): void {
  for (const pid of listProcesses()) {
    try {
      // Not the owner of the folder in /proc: that is root for processes that may not be dumped.
      if (readText(`/proc/${pid}/status`)?.includes(`\nUid:\t${uid}\t`) === true) process.kill(pid, 'SIGKILL')
    } catch {
      // Gone meanwhile.
    }
  }
}

/** Names this run of the machine and this pid namespace: pids in a ledger mean something only where this is the same. */
export function machineRun(): string {
  const boot = readText('/proc/sys/kernel/random/boot_id')?.trim() ?? 'unknown'
  try {
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return boot
  }
}

function listProcesses(): readonly number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}
