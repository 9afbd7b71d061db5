import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Identifies a process. The start time distinguishes it from later processes with the same pid. */
export interface ProcessMark {
  readonly pid: number
  readonly startTicks: string
}

const pauseMs = 50

/** Lists the descendants of a process. Returns an empty list on systems without `/proc`. */
export function listDescendants(ancestor: number): readonly ProcessMark[] {
  const processes = listPids()
    .map(readStat)
    .filter((stat) => stat !== undefined)
  const family = new Set([ancestor])
  for (let size = 0; size < family.size;) {
    size = family.size
    for (const { pid, parent } of processes) if (family.has(parent)) family.add(pid)
  }
  return processes.filter(({ pid }) => pid !== ancestor && family.has(pid))
}

/** Waits until all processes have exited, at most `limitMs`. Resolves to those still running. */
export async function waitUntilGone(marks: readonly ProcessMark[], limitMs: number): Promise<readonly ProcessMark[]> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const left = marks.filter(isAlive)
    if (left.length === 0 || performance.now() > deadline) return left
    await sleep(pauseMs)
  }
}

function isAlive({ pid, startTicks }: ProcessMark): boolean {
  const stat = readStat(pid)
  return stat !== undefined && stat.startTicks === startTicks && stat.state !== 'Z'
}

function listPids(): readonly number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    // Only Linux has `/proc`.
    return []
  }
}

function readStat(pid: number): (ProcessMark & { readonly parent: number; readonly state: string }) | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The process name ends at the last `)` and can itself contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { pid, state: fields[0] ?? '', parent: Number(fields[1]), startTicks: fields[19] ?? '' }
  } catch {
    // The process has ended.
    return undefined
  }
}
