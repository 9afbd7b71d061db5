import { readdirSync, readFileSync } from 'node:fs'

/** Resources of a process and its descendants. */
export interface ProcessUsage {
  readonly memoryBytes: number
  readonly threads: number
}

const pageBytes = 4096

interface Stat extends ProcessUsage {
  readonly pid: number
  readonly parent: number
}

/**
 * Sums up what a process and its descendants use. In a PID namespace of its own, every process is a
 * descendant of the first one. Zero on systems without `/proc`.
 */
export function usageOf(ancestor: number): ProcessUsage {
  const stats = readAll()
  const family = new Set([ancestor])
  for (let size = 0; size < family.size;) {
    size = family.size
    for (const { pid, parent } of stats) if (family.has(parent)) family.add(pid)
  }
  const own = stats.filter(({ pid }) => family.has(pid))
  return {
    memoryBytes: own.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
    threads: own.reduce((sum, { threads }) => sum + threads, 0),
  }
}

function readAll(): readonly Stat[] {
  try {
    return readdirSync('/proc').flatMap((name) => readStat(Number(name)) ?? [])
  } catch {
    // Only Linux has `/proc`.
    return []
  }
}

function readStat(pid: number): Stat | undefined {
  if (!Number.isInteger(pid)) return undefined
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The process name ends at the last `)` and can itself contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return {
      pid,
      parent: Number(fields[1]),
      threads: Number(fields[17]),
      memoryBytes: Number(fields[21]) * pageBytes,
    }
  } catch {
    // The process has ended.
    return undefined
  }
}
