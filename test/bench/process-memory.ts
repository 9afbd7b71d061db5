import { readFileSync } from 'node:fs'

/** Megabytes of memory of some processes. */
export interface MemoryUse {
  /** Each process counted whole, shared pages as often as they are mapped. */
  readonly rss: number
  /** Shared pages divided among all processes that map them: these add up to what the machine loses. */
  readonly pss: number
}

/** Adds up what the processes use now. Those that have ended count nothing. */
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
