import { readFileSync } from 'node:fs'

/** Megabytes of memory of some processes. */
export interface MemoryUse {
  /** Resident set size: shared pages are counted for every process. */
  readonly rss: number
  /** Proportional set size: shared pages are divided among the processes that map them. */
  readonly pss: number
}

/** Sums the memory of the processes. Ended processes count as 0. */
export function memoryOf(pids: readonly number[]): MemoryUse {
  const sum = { rss: 0, pss: 0 }
  for (const pid of pids) {
    const text = readRollup(pid)
    sum.rss += megabytes(text, 'Rss')
    sum.pss += megabytes(text, 'Pss')
  }
  return sum
}

function readRollup(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  } catch {
    return ''
  }
}

function megabytes(text: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) / 1024
}
